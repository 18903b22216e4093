// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/simulator.h"

#include <cstring>
#include <future>
#include <thread>

#include "examples/simulator/control_server.h"
#include "examples/simulator/error_body.h"
#include "examples/simulator/gateway_server.h"
#include "examples/simulator/task_server.h"

namespace genclip::sim {
namespace {

constexpr const char *kApiPrefix = "/api", *kTextPrefix = "/llm", *kControlPrefix = "/_sim";

constexpr int kBacklog = 1024;

struct SoupServerDone {
  void operator()(SoupServer *server) const {
    soup_server_disconnect(server);
    g_object_unref(server);
  }
};
using ServerPtr = std::unique_ptr<SoupServer, SoupServerDone>;

// host:port, an IPv6 address in brackets.
std::string authority(const std::string &host, unsigned port) {
  return (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

ServerPtr new_server(GTlsCertificate *certificate) {
  return ServerPtr(SOUP_SERVER(g_object_new(SOUP_TYPE_SERVER, "server-header", "genclip-sim",
                                            "tls-certificate", certificate, nullptr)));
}

// The port it listens on.
Result<unsigned> listen(SoupServer *server, const std::string &host, unsigned port, bool tls) {
  const auto fail = [&](const std::string &why) {
    return Error{ErrorKind::open_read, "Cannot listen on " + authority(host, port) + ": " + why};
  };
  const auto address = GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string(host.c_str(), port));
  if (!address) return fail("it is not an IP address.");
  GErrorPtr error;
  const auto socket = GRef<GSocket>::adopt(g_socket_new(
      g_socket_address_get_family(address.get()), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, take(error)));
  if (!socket) return fail(error->message);
  // libsoup's own socket would queue ten connections, and the system resets further ones.
  g_socket_set_listen_backlog(socket.get(), kBacklog);
  if (!g_socket_bind(socket.get(), address.get(), TRUE, take(error)) ||
      !g_socket_listen(socket.get(), take(error)) ||
      !soup_server_listen_socket(server, socket.get(),
                                 tls ? SOUP_SERVER_LISTEN_HTTPS : SoupServerListenOptions(0), take(error))) {
    std::string why = error->message;
    if (g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
      why += ". Another genclip-sim may be running: use it, or choose another --port and --media-port.";
    return fail(why);
  }
  const auto bound = GRef<GSocketAddress>::adopt(g_socket_get_local_address(socket.get(), nullptr));
  return unsigned{g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound.get()))};
}

// Null when no reference is to be fetched.
std::unique_ptr<ReferenceFetcher> fetcher_of(const SimulatorOptions &options) {
  if (!options.fetch_references || options.clip_bytes) return nullptr;
  return std::make_unique<ReferenceFetcher>(options.reference_patience);
}

struct Addresses {
  std::string api, media;
};

}  // namespace

// The simulator's owner starts and stops it; everything else happens on its own thread.
class Simulator::Servers {
 public:
  explicit Servers(const SimulatorOptions &options) : options_(options), ledger_(options.faults) {}
  ~Servers() { stop(); }

  Result<void> start() {
    context_ = GRef<GMainContext>::adopt(g_main_context_new());
    loop_ = GRef<GMainLoop>::adopt(g_main_loop_new(context_.get(), FALSE));
    std::promise<Result<Addresses>> ready;
    auto listening = ready.get_future();
    thread_ = std::thread([this, &ready] { run(ready); });
    const auto addresses = listening.get();
    if (!addresses) {
      thread_.join();
      return addresses.error();
    }
    addresses_ = *addresses;
    return {};
  }

  void stop() {
    if (!thread_.joinable()) return;
    // Quits through the context, because a quit before the loop runs would be lost.
    g_main_context_invoke_full(
        context_.get(), G_PRIORITY_HIGH,
        [](gpointer loop) -> gboolean {
          g_main_loop_quit(static_cast<GMainLoop *>(loop));
          return G_SOURCE_REMOVE;
        },
        loop_.get(), nullptr);
    thread_.join();
  }

  Ledger &ledger() { return ledger_; }
  const Ledger &ledger() const { return ledger_; }
  const Addresses &addresses() const { return addresses_; }

 private:
  // The objects that live on the thread.
  struct Service {
    Service(const SimulatorOptions &options, ModelBook book, PriceList list, Ledger &ledger)
        : models(std::move(book)),
          prices(std::move(list)),
          ledger(ledger),
          kitchen({.faststart = options.faststart,
                   .least_bytes = options.padding,
                   .frames_per_second = options.frames_per_second,
                   .least_tone = options.least_tone,
                   .most_tone = options.most_tone,
                   .marks = options.marks},
                  options.clip_bytes),
          tasks({.queued = {options.queued, options.most_queued},
                 .processing = {options.processing, options.most_processing},
                 .moderated = options.moderated},
                options.seed, prices, *options.clock, kitchen, fetcher_of(options)),
          stage(ledger),
          media(options, ledger, stage, kitchen),
          task_server(options, models, ledger, stage, tasks, media),
          gateway_server(options.key, ledger, stage) {}

    const ModelBook models;
    const PriceList prices;
    Ledger &ledger;
    ClipKitchen kitchen;
    TaskBook tasks;
    FaultStage stage;
    MediaServer media;
    TaskServer task_server;
    GatewayServer gateway_server;
    ServerPtr api_soup, media_soup;
  };

  void run(std::promise<Result<Addresses>> &ready) {
    g_main_context_push_thread_default(context_.get());
    serve(ready);
    // Sockets that are closing need the context a little longer.
    while (g_main_context_iteration(context_.get(), FALSE)) {
    }
    g_main_context_pop_thread_default(context_.get());
  }

  void serve(std::promise<Result<Addresses>> &ready) {
    auto book = ModelBook::load(options_.model_files);
    if (!book) return ready.set_value(book.error());
    auto prices = options_.price_file.empty() ? Result<PriceList>(PriceList())
                                              : PriceList::load(options_.price_file, *book);
    if (!prices) return ready.set_value(prices.error());
    Service service(options_, std::move(*book), std::move(*prices), ledger_);
    auto addresses = listen_all(service);
    const bool fine = addresses.has_value();
    ready.set_value(std::move(addresses));
    if (fine) g_main_loop_run(loop_.get());
  }

  Result<Addresses> listen_all(Service &service) {
    GRef<GTlsCertificate> certificate;
    if (!options_.media_certificate.empty()) {
      GErrorPtr error;
      const std::string pem = options_.media_certificate + "\n" + options_.media_private_key;
      certificate = GRef<GTlsCertificate>::adopt(
          g_tls_certificate_new_from_pem(pem.c_str(), static_cast<gssize>(pem.size()), take(error)));
      if (!certificate) return Error{ErrorKind::settings, std::string("The certificate: ") + error->message};
    }
    service.api_soup = new_server(nullptr);
    service.media_soup = new_server(certificate.get());
    const auto api_port = listen(service.api_soup.get(), options_.host, options_.port, false);
    if (!api_port) return api_port.error();
    const std::string media_host = options_.media_host.empty() ? options_.host : options_.media_host;
    const auto media_port =
        listen(service.media_soup.get(), media_host, options_.media_port, bool(certificate));
    if (!media_port) return media_port.error();

    const Addresses addresses{"http://" + authority(options_.host, *api_port),
                              (certificate ? "https://" : "http://") + authority(media_host, *media_port)};
    service.media.set_origins(addresses.media, addresses.api);
    if (const auto bound = service.media.listen_exactly(media_host); !bound) return bound.error();
    soup_server_add_handler(service.api_soup.get(), nullptr, on_api, &service, nullptr);
    soup_server_add_handler(service.media_soup.get(), nullptr, on_media, &service, nullptr);
    return addresses;
  }

  static void on_api(SoupServer *, SoupServerMessage *message, const char *path, GHashTable *,
                     gpointer data) {
    auto &service = *static_cast<Service *>(data);
    const std::string whole = path;
    if (whole.starts_with(kApiPrefix + std::string("/")))
      return service.task_server.handle(message, whole.substr(std::strlen(kApiPrefix)));
    if (whole.starts_with("/clips/")) return service.media.handle(message);
    if (whole.starts_with(kTextPrefix + std::string("/")))
      return service.gateway_server.handle(message, whole);
    if (whole.starts_with(kControlPrefix + std::string("/")))
      return service.stage.answer(
          message,
          control_reply(service.ledger, service.tasks, message, whole.substr(std::strlen(kControlPrefix))),
          false);
    service.stage.answer(message, error_reply(404, "There is nothing at " + whole + "."), false);
  }

  static void on_media(SoupServer *, SoupServerMessage *message, const char *, GHashTable *, gpointer data) {
    static_cast<Service *>(data)->media.handle(message);
  }

  const SimulatorOptions &options_;
  Ledger ledger_;
  GRef<GMainContext> context_;
  GRef<GMainLoop> loop_;
  std::thread thread_;
  Addresses addresses_;
};

Simulator::Simulator(SimulatorOptions options)
    : options_(std::move(options)), servers_(std::make_unique<Servers>(options_)) {}

Simulator::~Simulator() = default;

Result<void> Simulator::start() {
  gst_init(nullptr, nullptr);
  return servers_->start();
}
void Simulator::stop() { servers_->stop(); }

std::string Simulator::base_url() const { return servers_->addresses().api + kApiPrefix; }
std::string Simulator::llm_base_url() const { return servers_->addresses().api + kTextPrefix; }
std::string Simulator::media_url() const { return servers_->addresses().media; }

SimulatorStats Simulator::stats() const { return servers_->ledger().stats(); }
void Simulator::add_fault(const Fault &fault) { servers_->ledger().add(fault); }

Result<void> Simulator::add_fault(std::string_view text) {
  const auto fault = parse_fault(text);
  if (!fault) return fault.error();
  add_fault(*fault);
  return {};
}

void Simulator::clear_faults() { servers_->ledger().clear(); }
std::vector<Fault> Simulator::faults() const { return servers_->ledger().faults(); }

}  // namespace genclip::sim
