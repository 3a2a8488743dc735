// A worker's state between requests, and the methods of the protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "measure/measure.h"
#include "measure/verify.h"
#include "worker/params.h"

namespace scantune {

class Session {
 public:
  // open_device is called by the first request that needs the device, and again by the next one if it throws.
  explicit Session(std::function<std::shared_ptr<Device>()> open_device) : open_device_(std::move(open_device)) {}

  // The answer to one line, without its end. Throws nothing: a line that is not a request gets an answer, too.
  std::string respond(const std::string& line);

 private:
  Json call(const WorkerRequest& request);
  Json hello(const Params& params);
  Json space(const Params& params);
  Json validate(const Params& params);
  Json compile(const Params& params);
  Json verify(const Params& params);
  Json measure(const Params& params);
  Json select(const Params& params);
  Json races(const Params& params);
  Json built_in(const Params& params);
  Json cache(const Params& params);

  Device& device();
  void use(std::shared_ptr<Device> device);
  WorkerError translated(const std::exception_ptr& error);  // an exception as the protocol names it

  std::function<std::shared_ptr<Device>()> open_device_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<Measurer> measurer_;
};

}  // namespace scantune
