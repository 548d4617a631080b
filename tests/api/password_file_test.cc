// Passwords that stand in a file.

#include "api/password_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace redlock::detail {
namespace {

class password_file : public testing::Test {
 protected:
  password_file() : path_(testing::TempDir() + "password_file." + std::to_string(::getpid())) {}
  ~password_file() override { std::remove(path_.c_str()); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] std::string error() const {
    try {
      static_cast<void>(read_password(path_));
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  }

  const std::string path_;
};

TEST_F(password_file, gives_its_first_line) {
  for (const char* text : {"s3cret", "s3cret\n", "s3cret\r\n", "s3cret\nmore\n"}) {
    write(text);
    EXPECT_EQ(read_password(path_), "s3cret");
  }
  write(" any bytes: \t\xff ");
  EXPECT_EQ(read_password(path_), " any bytes: \t\xff ");
  write(std::string(4096, 'x') + "\n");
  EXPECT_EQ(read_password(path_).size(), 4096U);
}

TEST_F(password_file, says_what_is_wrong_with_it_and_never_what_is_in_it) {
  EXPECT_EQ(error(), "the password file " + path_ + " cannot be read: No such file or directory");
  write("");
  EXPECT_EQ(error(), "the password file " + path_ + " is empty");
  write("\ns3cret");
  EXPECT_EQ(error(), "the password file " + path_ + " is empty");
  write(std::string(4097, 'x'));
  EXPECT_EQ(error(), "the password file " + path_ + " has a line of more than 4,096 bytes");
}

TEST_F(password_file, may_be_no_file) {
  EXPECT_THROW(static_cast<void>(read_password(testing::TempDir())), std::runtime_error);
}

}  // namespace
}  // namespace redlock::detail
