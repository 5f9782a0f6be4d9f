#include "microbench/comm/mpi/transport.h"

// The library's C++ interface, gone from the standard, warns in its headers.
#define OMPI_SKIP_MPICXX 1
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mpi.h>

#include "microbench/comm/engine.h"
#include "microbench/comm/mpi/arrivals.h"
#include "microbench/comm/mpi_beside.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

std::string first_line(const char* text) {
  const std::string all = text;
  return all.substr(0, all.find_first_of("\n,"));
}

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw EnvironmentError(std::string(call) + " failed: " + text);
}

/// Also where no mpirun started this rank.
void find_files_of_mpi() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (const auto& [name, value] : mpi_environment(program)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
}

class MpiTransport final : public Transport {
 public:
  int rank_before_open() const override { return arrivals_.rank(); }
  std::string missing_before_open() const override { return arrivals_.missing(); }

  void open() override {
    arrivals_.arrive();
    find_files_of_mpi();
    // Where ranks outnumber cores, a rank that polls inside MPI keeps the one it waits for from
    // running.
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    // Over TCP a large message comes piece by piece as its receiver asks for them, and what it asks
    // waits behind whatever it sends itself: two ranks that exchange data took turns.
    setenv("OMPI_MCA_btl_tcp_flags", "send,inplace", 0);
    int granted = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted), "MPI_Init_thread");
    if (granted < MPI_THREAD_FUNNELED) {
      throw EnvironmentError(
          "this MPI library does not allow other threads than the one that calls it; "
          "use one built with thread support");
    }
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
  }

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string name = first_line(text);
    if (name.starts_with("Open MPI v")) name.erase(9, 1);
    return name;
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> share(std::string_view text) override {
    const auto count = static_cast<std::size_t>(size_);
    std::vector<int> lengths(count);
    const int own = static_cast<int>(text.size());
    check(MPI_Allgather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, world_), "MPI_Allgather");
    std::vector<int> offsets(count);
    int total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      offsets[i] = total;
      total += lengths[i];
    }
    std::string all(static_cast<std::size_t>(total), '\0');
    check(MPI_Allgatherv(text.data(), own, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                         MPI_CHAR, world_),
          "MPI_Allgatherv");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(
          all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    }
    return texts;
  }

  Group make_group(std::span<const int> ranks, int number) override {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group chosen = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_group(world_, &all), "MPI_Comm_group");
    check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &chosen),
          "MPI_Group_incl");
    check(MPI_Comm_create_group(world_, chosen, number % 32768, &made), "MPI_Comm_create_group");
    MPI_Group_free(&chosen);
    MPI_Group_free(&all);
    check(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    groups_.push_back(made);
    return static_cast<Group>(groups_.size()) - 1;
  }

  Request send(Group group, int to, const void* data, std::int64_t bytes, int tag) override {
    const Request request = slot();
    check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm(group), &at(request)),
          "MPI_Isend");
    return request;
  }

  Request receive(Group group, int from, void* data, std::int64_t bytes, int tag) override {
    const Request request = slot();
    check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, comm(group), &at(request)),
          "MPI_Irecv");
    return request;
  }

  Arrival test(Request request) override {
    int done = 0;
    MPI_Status status;
    const int code = MPI_Test(&at(request), &done, &status);
    Arrival arrival;
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    arrival.truncated = kind == MPI_ERR_TRUNCATE;
    if (!arrival.truncated) check(code, "MPI_Test");
    arrival.done = done != 0 || arrival.truncated;
    if (!arrival.done) return arrival;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    arrival.bytes = bytes;
    free_.push_back(request);
    return arrival;
  }

  void close() override {
    for (MPI_Comm& group : groups_) MPI_Comm_free(&group);
    MPI_Comm_free(&world_);
    check(MPI_Finalize(), "MPI_Finalize");
  }

  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  MPI_Comm comm(Group group) const { return groups_[static_cast<std::size_t>(group)]; }
  MPI_Request& at(Request request) { return requests_[static_cast<std::size_t>(request)]; }

  Request slot() {
    if (free_.empty()) {
      requests_.push_back(MPI_REQUEST_NULL);
      return static_cast<Request>(requests_.size()) - 1;
    }
    const Request request = free_.back();
    free_.pop_back();
    return request;
  }

  Arrivals arrivals_;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::vector<MPI_Comm> groups_;
  std::vector<MPI_Request> requests_;
  std::vector<Request> free_;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport() { return std::make_unique<MpiTransport>(); }

std::unique_ptr<Communicator> make_mpi_communicator(const WatchdogOptions& options) {
  return make_communicator(make_mpi_transport(), options);
}

}  // namespace oracle
