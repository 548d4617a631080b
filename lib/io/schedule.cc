// The heap.

#include "io/schedule.h"

#include <algorithm>

namespace redlock::io {

void schedule::set(timer& t, core::time_point at) {
  if (at == core::never) {
    clear(t);
    return;
  }
  if (t.place_ == timer::off) {
    t.at_ = at;
    heap_.push_back(&t);
    t.place_ = heap_.size() - 1;
    rise(t.place_);
  } else if (at != t.at_) {
    t.at_ = at;
    rise(t.place_);
    sink(t.place_);
  }
}

void schedule::clear(timer& t) noexcept {
  if (t.place_ == timer::off) return;
  const std::size_t place = t.place_;
  timer* last = heap_.back();
  heap_.pop_back();
  t.place_ = timer::off;
  if (last == &t) return;
  put(place, last);
  rise(place);
  sink(last->place_);
}

bool schedule::wake_one(core::time_point now) noexcept {
  if (heap_.empty() || next() > now) return false;
  timer& t = *heap_.front();
  clear(t);
  t.on_time(now);
  return true;
}

void schedule::rise(std::size_t place) noexcept {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (heap_[parent]->at_ <= heap_[place]->at_) return;
    timer* above = heap_[parent];
    put(parent, heap_[place]);
    put(place, above);
    place = parent;
  }
}

void schedule::sink(std::size_t place) noexcept {
  for (;;) {
    const std::size_t left = 2 * place + 1;
    if (left >= heap_.size()) return;
    const std::size_t right = left + 1;
    const bool go_right = right < heap_.size() && heap_[right]->at_ < heap_[left]->at_;
    const std::size_t child = go_right ? right : left;
    if (heap_[place]->at_ <= heap_[child]->at_) return;
    timer* below = heap_[child];
    put(child, heap_[place]);
    put(place, below);
    place = child;
  }
}

void schedule::put(std::size_t place, timer* t) noexcept {
  heap_[place] = t;
  t->place_ = place;
}

}  // namespace redlock::io
