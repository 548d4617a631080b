// Giving libuv handles back: a handle must live until the loop has closed it.

#ifndef REDLOCK_LIB_IO_UV_HANDLE_H
#define REDLOCK_LIB_IO_UV_HANDLE_H

#include <uv.h>

#include <memory>

namespace redlock::io {

// Closes the handle; its memory goes when the loop is done with it. Callbacks that may still come
// find no data.
template <class Handle>
struct uv_closer {
  void operator()(Handle* handle) const noexcept {
    handle->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
             [](uv_handle_t* closed) { delete reinterpret_cast<Handle*>(closed); });
  }
};

template <class Handle>
using uv_handle = std::unique_ptr<Handle, uv_closer<Handle>>;

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_UV_HANDLE_H
