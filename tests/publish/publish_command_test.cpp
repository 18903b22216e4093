// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Small scripts as publish commands: what they get, and what they may print.
#include "plugin/publish/publish_command.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/file_content.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PublishCommandTest : public testing::Test {
 protected:
  Result<std::string> run(const std::string &script, std::chrono::milliseconds limit = 60s) {
    std::ofstream(folder_.file("upload")) << "#!/bin/sh\n" + script + "\n";
    chmod(folder_.file("upload").c_str(), 0700);
    return run_publish_command({folder_.file("upload") + options_, "/tmp/a b.png", "0a1b", "image/png", limit,
                                "", refuses_private_hosts_},
                               nullptr);
  }
  std::string problem_of(const std::string &script) {
    const auto url = run(script);
    return url ? "" : url.error().text;
  }

  const TemporaryFolder folder_;
  std::string options_;
  bool refuses_private_hosts_ = false;
};

TEST_F(PublishCommandTest, GetsTheFileItsSumAndItsTypeAfterItsOwnOptions) {
  options_ = " --to 'my bucket' $HOME";
  EXPECT_EQ(
      taken(run("printf '%s\\n' \"$@\" > '" + folder_.file("words") + "'; echo https://media.example/a")),
      "https://media.example/a");
  EXPECT_EQ(content(folder_.file("words")), "--to\nmy bucket\n$HOME\n/tmp/a b.png\n0a1b\nimage/png\n");
}

TEST_F(PublishCommandTest, PrintsOneHttpsUrl) {
  EXPECT_EQ(taken(run("printf https://media.example/a?sig=1")), "https://media.example/a?sig=1");
  EXPECT_EQ(taken(run("printf 'https://media.example/a\\r\\n\\n'")), "https://media.example/a");
  EXPECT_EQ(taken(run("echo http://127.0.0.1:8080/a")), "http://127.0.0.1:8080/a");
  EXPECT_EQ(taken(run("echo noise >&2; echo https://media.example/a")), "https://media.example/a");
}

TEST_F(PublishCommandTest, IsRefusedWhateverElseItPrints) {
  EXPECT_THAT(problem_of("exit 0"), HasSubstr("printed nothing"));
  EXPECT_THAT(problem_of("echo; echo"), HasSubstr("printed nothing"));
  EXPECT_THAT(problem_of("for i in 0 1 2 3 4 5 6 7 8 9; do echo https://media.example/$i; done"),
              HasSubstr("printed 10 lines"));
  for (const char *line : {"done", "media.example/a", "ftp://media.example/a", "file:///etc/passwd",
                           "https://", "https://media.example/a https://media.example/b", "data:,a",
                           "https://media.example/a\\033[2J", "genclip://x", "https:///a"})
    EXPECT_THAT(problem_of(std::string("printf '") + line + "'"), HasSubstr("is not a URL")) << line;
  EXPECT_THAT(problem_of("printf 'https://media.example/a\\0b'"), HasSubstr("is not a URL"));
  EXPECT_THAT(problem_of("echo http://media.example/a"), HasSubstr("printed an http URL"));
  EXPECT_THAT(problem_of("echo https://me:word@media.example/a"), HasSubstr("printed a URL with a user"));
  EXPECT_THAT(problem_of("yes https://media.example/a"), HasSubstr("printed more than 8192 bytes"));
}

// The rule of any other reference, at whatever scheme.
TEST_F(PublishCommandTest, PrintsNoAddressThatAPublicServiceCannotReach) {
  for (const char *url :
       {"http://127.0.0.1:8080/a", "https://192.168.1.5/a", "https://localhost/a", "https://[::1]/a"}) {
    EXPECT_EQ(taken(run(std::string("echo ") + url)), url) << "the service may be in the same network";
    refuses_private_hosts_ = true;
    EXPECT_THAT(
        problem_of(std::string("echo ") + url),
        AllOf(HasSubstr("printed a URL that is at an address of this machine"), HasSubstr("public URL")));
    EXPECT_EQ(taken(run("echo https://media.example/a")), "https://media.example/a");
    refuses_private_hosts_ = false;
  }
}

TEST_F(PublishCommandTest, SaysWhyItFailed) {
  EXPECT_THAT(problem_of("echo one >&2; echo 'no such bucket' >&2; echo >&2; exit 3"),
              AllOf(HasSubstr("failed with exit code 3"), HasSubstr("Its last message was: no such bucket"),
                    Not(HasSubstr("one"))));
  EXPECT_THAT(problem_of("kill -9 $$"), HasSubstr("was ended by signal 9"));
  EXPECT_THAT(problem_of("echo https://media.example/a; exit 1"), HasSubstr("exit code 1"));
  EXPECT_THAT(problem_of("printf '\\033[31mred\\nnext\\033[2J' >&2; exit 1"),
              AllOf(HasSubstr("next"), Not(HasSubstr("\033"))));
  EXPECT_THAT(problem_of("echo stuck >&2; yes"), AllOf(HasSubstr("more than"), HasSubstr("stuck")));
  const auto late = run("sleep 60", 500ms);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().text, HasSubstr("did not end within 1 s, and was stopped"));
}

TEST_F(PublishCommandTest, IsNotQuotedWithSecrets) {
  g_setenv("GENCLIP_API_KEY", "sk-very-secret", TRUE);
  const std::string problem = problem_of(
      "echo 'PUT https://b.example/a?X-Sig=SECRET1 Bearer SECRET2 key=SECRET3 sk-very-secret' >&2; echo "
      "SECRET4; exit 1");
  EXPECT_THAT(problem, AllOf(HasSubstr("b.example/a"), Not(HasSubstr("SECRET")), Not(HasSubstr("sk-very"))));
  EXPECT_THAT(problem_of("echo 'https://b.example/a?sig=SECRET b'"), Not(HasSubstr("SECRET")));
  // L2
  for (const char *line : {"AWS_SECRET_ACCESS_KEY: HIDDEN", "secret_access_key = HIDDEN", "token:HIDDEN",
                           "Password: \"HIDDEN with blanks\"", "{\"secret\": \"HIDDEN\", \"a\": 1}",
                           "Authorization: Basic HIDDEN", "X-Amz-Signature: HIDDEN", "credentials: HIDDEN",
                           "\xff key: HIDDEN"}) {
    std::ofstream(folder_.file("line")) << line << ", no such bucket";
    EXPECT_THAT(problem_of("cat '" + folder_.file("line") + "' >&2; exit 1"),
                AllOf(HasSubstr("no such bucket"), HasSubstr("***"), Not(HasSubstr("HIDDEN"))))
        << line;
  }
  g_unsetenv("GENCLIP_API_KEY");
  // What the command was given in its environment, under whatever name it prints it.
  g_setenv("PUBLISH_PASS", "Zq9x,HIDDEN", TRUE);
  EXPECT_THAT(problem_of("echo \"bad credentials ($PUBLISH_PASS), password=$PUBLISH_PASS\" >&2; exit 3"),
              AllOf(HasSubstr("bad credentials (***)"), Not(HasSubstr("HIDDEN"))));
  g_unsetenv("PUBLISH_PASS");
  for (const char *reason : {"error: oauth: token expired", "could not read key: permission denied"})
    EXPECT_THAT(problem_of(std::string("echo '") + reason + "' >&2; exit 3"), HasSubstr(reason));
}

TEST_F(PublishCommandTest, DoesNotGetTheKey) {
  g_setenv("GENCLIP_API_KEY", "sk-very-secret", TRUE);
  g_setenv("GENCLIP_API_KEY_FILE", "/secret/file", TRUE);
  g_setenv("GENCLIP_TEST_WORD", "kept", TRUE);
  EXPECT_EQ(taken(run("env > '" + folder_.file("env") + "'; echo https://media.example/a")),
            "https://media.example/a");
  EXPECT_THAT(content(folder_.file("env")), AllOf(Not(HasSubstr("GENCLIP_API_KEY")), Not(HasSubstr("secret")),
                                                  HasSubstr("GENCLIP_TEST_WORD=kept")));
  for (const char *name : {"GENCLIP_API_KEY", "GENCLIP_API_KEY_FILE", "GENCLIP_TEST_WORD"}) g_unsetenv(name);
}

TEST_F(PublishCommandTest, ThatCannotRunIsASettingToCorrect) {
  for (const char *command :
       {"/no/such/program", "no-such-program --fast", "/etc/passwd", "''", "'", "   ", "# one"}) {
    const Error error =
        failure_of(run_publish_command({command, "/tmp/a.png", "0a1b", "image/png"}, nullptr));
    EXPECT_EQ(error.kind, ErrorKind::settings) << command;
    EXPECT_THAT(error.text, HasSubstr("GENCLIP_PUBLISH_COMMAND")) << command;
    EXPECT_EQ(failure_of(check_publish_command(command, "")).text, error.text)
        << "it is known before it is run";
  }
}

// M15
TEST_F(PublishCommandTest, AndWhatItNamesAreOfItsFolder) {
  std::ofstream(folder_.file("upload")) << "#!/bin/sh\ncat \"$1\"\n";
  chmod(folder_.file("upload").c_str(), 0700);
  std::ofstream(folder_.file("address")) << "https://media.example/a";
  EXPECT_TRUE(check_publish_command("./upload address", folder_.path()));
  EXPECT_EQ(taken(run_publish_command({.command = "./upload address",
                                       .file = "/tmp/a.png",
                                       .sha256 = "0a1b",
                                       .media_type = "image/png",
                                       .working_folder = folder_.path()},
                                      nullptr)),
            "https://media.example/a");
}

}  // namespace
}  // namespace genclip::test
