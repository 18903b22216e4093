// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/preparer.h"

#include <utility>

#include "plugin/channel/preparer_work.h"

namespace genclip {
namespace {

class ChannelPreparer final : public Preparer {
 public:
  ChannelPreparer(PreparerSettings settings, GenerationServices services, std::shared_ptr<Vetter> vetter,
                  PreparerListener &listener)
      : outlet_(std::make_shared<PreparerOutlet>(listener)),
        work_(std::make_shared<PreparerWork>(std::move(settings), std::move(services), std::move(vetter),
                                             outlet_)) {}
  ~ChannelPreparer() override { stop(); }
  ChannelPreparer(const ChannelPreparer &) = delete;
  ChannelPreparer &operator=(const ChannelPreparer &) = delete;

  ItemStatus status(const std::string &id, uint64_t turn) const override { return outlet_->status(id, turn); }
  void want(std::vector<Wish> wishes, std::vector<std::string> fallback) override {
    work_->want(std::move(wishes), std::move(fallback));
  }
  void set_bound(bool is_bound) override { work_->set_bound(is_bound); }
  void reload() override { work_->reload(); }
  void close() override { stop(); }
  double spent() const override { return outlet_->spent(); }

 private:
  void stop() {
    outlet_->close();
    work_->close();
  }

  const std::shared_ptr<PreparerOutlet> outlet_;
  const std::shared_ptr<PreparerWork> work_;
};

}  // namespace

std::shared_ptr<Preparer> make_preparer(PreparerSettings settings, GenerationServices services,
                                        std::shared_ptr<Vetter> vetter, PreparerListener &listener) {
  return std::make_shared<ChannelPreparer>(std::move(settings), std::move(services), std::move(vetter),
                                           listener);
}

}  // namespace genclip
