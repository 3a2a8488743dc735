/* scantune for C, and for every language that can call C: kernels tuned for this GPU and this n, run by one call.
 *
 *   scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
 *   request.head.n = n;
 *   request.input_type = request.output_type = SCANTUNE_I32;
 *   scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
 *   arrays.of[SCANTUNE_INPUT] = device_input;
 *   arrays.of[SCANTUNE_OUTPUT] = device_output;
 *   if (scantune_run(&request.head, &arrays, stream) != SCANTUNE_OK)
 *     fprintf(stderr, "%s\n", scantune_error_message());
 *
 * Every function that can fail returns a status and never throws. scantune_error_message() then says what was
 * requested, what was found and what to do. A SCANTUNE_REQUEST_ERROR means that nothing was launched, except the check
 * of offsets that a load balance may ask for, and no output was written. After another error of a call with several
 * launches, outputs may hold anything. All functions may be called from any thread. docs/concurrency.md has the rules
 * for streams, plans and graphs.
 */
#ifndef SCANTUNE_H
#define SCANTUNE_H

#include <stddef.h>
#include <stdint.h>

#include "scantune/requests.h"

/* The version of this header; scantune_version() tells the library's. */
#define SCANTUNE_VERSION_MAJOR 0
#define SCANTUNE_VERSION_MINOR 3
#define SCANTUNE_VERSION_PATCH 0

#if defined(__GNUC__)
#define SCANTUNE_API __attribute__((visibility("default")))
#else
#define SCANTUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scantune_plan scantune_plan;
typedef struct scantune_buffer scantune_buffer;
typedef void* scantune_stream; /* a cudaStream_t or CUstream; NULL is the legacy default stream */

/* The message of the last failed call of this thread; never NULL, valid until this thread's next failure. */
SCANTUNE_API const char* scantune_error_message(void);
/* The CUresult that made this thread's last failed call fail; 0 if the driver was not the reason. The message names it,
 * too. */
SCANTUNE_API int32_t scantune_error_cuda_result(void);
SCANTUNE_API const char* scantune_version(void); /* MAJOR.MINOR.PATCH */

/* Receives the library's remarks: that nothing was tuned and the default config runs, that the kernel cache cannot be
 * written, and the like. Each is made once per process; the text does not end in a newline. */
typedef void (*scantune_log)(void* user, const char* remark);

/* Sends remarks to log(user, remark) instead of standard error. NULL restores standard error, which SCANTUNE_LOG=quiet
 * silences. log is called from any thread, by one thread at a time. When this function returns, the previous log is no
 * longer called. A log must not throw, and must not wait for a thread that may be inside a function of this library; it
 * may call the library. */
SCANTUNE_API void scantune_set_log(scantune_log log, void* user);

/* Returns the default accumulator: the output type, or the input type if that is wider and of the same class (integer,
 * floating-point); at least 4 bytes wide. Returns SCANTUNE_DEFAULT_TYPE if either argument is not a type. */
SCANTUNE_API scantune_type scantune_accumulator(scantune_type input, scantune_type output);

/* Sets every member of the algorithm's request to its default, as its _INIT macro does. struct_bytes: sizeof the
 * request in the caller's header; nothing past it is written. */
SCANTUNE_API scantune_status scantune_request_init(scantune_head* request, scantune_algorithm algorithm,
                                                   size_t struct_bytes);

/* Runs the request. Checks all that can be checked on the host, and returns as soon as the work is in the stream.
 * request: the head of a whole request, never a copy of the head alone. */
SCANTUNE_API scantune_status scantune_run(const scantune_head* request, const scantune_arrays* arrays,
                                          scantune_stream stream);
/* The same for a scan of an input into an output, without flags, keys and offsets, in fewer instructions. An array that
 * a map replaces is NULL. */
SCANTUNE_API scantune_status scantune_scan(const scantune_scan_request* request, const void* input, void* output,
                                           scantune_stream stream);

/* Creates a plan for exactly n items, or with device_n for at most n: kernels are chosen, compiled and loaded. The
 * request is copied, and so is the host memory that it points to, states included; device_init, device_inits, device_n
 * and device_clamped are kept as pointers. Any number of threads may run one plan, or several, on one stream or many.
 * After an error *plan is NULL. */
SCANTUNE_API scantune_status scantune_plan_create(const scantune_head* request, scantune_plan** plan);

/* A workspace of the caller's, for one run of a plan at a time. It is device memory that overlaps nothing else the run
 * reads or writes. It may hold anything: the run zeroes what it needs zeroed, in the stream. Its first
 * scantune_plan_workspace_bytes() bytes are used. Runs enqueued in one stream may share a workspace, and a graph needs
 * it at every replay. Threads that share one must not call at the same time. The struct does not grow. */
typedef struct scantune_workspace {
  void* memory;
  uint64_t bytes;
} scantune_workspace;

/* The advised alignment of a workspace in bytes, which all memory that CUDA allocates has. A run accepts any multiple
 * of 16; an allocator must keep to this. */
#define SCANTUNE_WORKSPACE_ALIGNMENT 256

/* Runs the plan, and returns as soon as the work is in the stream. It checks pointers for NULL, alignment and overlap,
 * but not whether the memory exists. workspace NULL: the library provides one, and allocates nothing once the stream
 * has been used; the call may be captured into a graph. With the caller's workspace the library allocates nothing for
 * the run and keeps nothing for its stream, and a capture does not count towards captured_launches; a plan that needs
 * no workspace accepts any. A check of offsets always uses a few bytes of a workspace that the library keeps for the
 * stream. */
SCANTUNE_API scantune_status scantune_plan_run(const scantune_plan* plan, const scantune_arrays* arrays,
                                               const scantune_workspace* workspace, scantune_stream stream);
/* Bytes of workspace that one run of the plan needs; 0 if it needs no workspace, or for NULL. */
SCANTUNE_API uint64_t scantune_plan_workspace_bytes(const scantune_plan* plan);
/* Says which config runs, from which record, and why. The text belongs to the plan; it is "" for NULL. */
SCANTUNE_API const char* scantune_plan_description(const scantune_plan* plan);
/* Destroys the plan. No call may be using it; its work may still be waiting in a stream. NULL is allowed. */
SCANTUNE_API void scantune_plan_destroy(scantune_plan* plan);

/* Reads the tuning databases again, as a new process would: later calls and plans use what the tuner has saved since.
 * New plans, and a thread's first call for a problem, do so without it, at most every two seconds; a database that
 * cannot be read any more then keeps its records. Plans, captured graphs and calls under way keep their configs. The
 * first call of a thread for a problem after a reload chooses, loads and perhaps compiles kernels again, so it cannot
 * be captured. After an error the records are those of before.
 */
SCANTUNE_API scantune_status scantune_reload(void);

/* Writes the calls that were counted since the last time to the file that the environment variable SCANTUNE_RECORD
 * names; without it does nothing. The library does so itself every 10 seconds and when the process ends. A call that is
 * captured counts once, and replays of its graph do not. A SCANTUNE_REQUEST_ERROR says why the file cannot be written;
 * what was counted is kept for the next time. */
SCANTUNE_API scantune_status scantune_record_flush(void);

/* Functions of the program that allocate workspaces, such as a framework's caching allocator. device is CUDA's number
 * of the GPU (not a scantune_device), whose context is current, or -1 for the host device. They are called from
 * functions of this library, on the calling thread, also while a stream is being captured, and without a lock of the
 * library. They must not throw, and must not call this library. */
/* Returns device memory aligned to SCANTUNE_WORKSPACE_ALIGNMENT, or NULL if memory is short. The library uses it at
 * once, on any stream: memory that work of another stream may still use must wait for that work first. */
typedef void* (*scantune_allocate)(void* user, uint64_t bytes, int32_t device);
/* Frees memory that no work uses any more. bytes: the size that was allocated. */
typedef void (*scantune_deallocate)(void* user, void* memory, uint64_t bytes, int32_t device);

typedef struct scantune_allocator {
  size_t struct_bytes; /* sizeof(scantune_allocator) */
  scantune_allocate allocate;
  scantune_deallocate deallocate;
  void* user;
} scantune_allocator;

#define SCANTUNE_ALLOCATOR_INIT {sizeof(scantune_allocator), NULL, NULL, NULL}

/* Makes the whole process allocate new workspaces from the allocator, whose struct is copied. NULL restores the driver.
 * Memory returns to the allocator that it came from, so a replaced allocator must still free it: until scantune_trim(),
 * once plans and graphs with captured launches are destroyed. A concurrent call may use either. Buffers always come
 * from the driver. */
SCANTUNE_API scantune_status scantune_set_allocator(const scantune_allocator* allocator);

/* Releases what the library keeps for a stream of the device. Call it before you destroy the stream. No call may use
 * the stream at the same time, and none of its work may still run. */
SCANTUNE_API scantune_status scantune_release(scantune_stream stream, scantune_device device);

/* Frees cached memory, to the driver or to the allocator that it came from: the workspaces of all streams, and unused
 * ones, on every GPU. It waits for these GPUs first. No other function may be called at the same time, and no stream
 * captured: CUDA would refuse the wait and end the capture, which is an error that frees nothing. Workspaces of
 * captured launches stay until their graphs and plans are destroyed, and loaded kernels stay. Later calls allocate
 * again. freed_bytes: receives the number of bytes freed, or NULL. */
SCANTUNE_API scantune_status scantune_trim(uint64_t* freed_bytes);

/* Allocates memory of the device that requests with this `device` run on. After an error *buffer is NULL. */
SCANTUNE_API scantune_status scantune_buffer_create(uint64_t bytes, scantune_device device, scantune_buffer** buffer);
/* Makes a buffer of memory that the caller has: requests work on it in place until the buffer is destroyed, and the
 * caller frees the memory after that. Several buffers may share memory. Only the host device takes memory like this: on
 * a GPU it is a SCANTUNE_REQUEST_ERROR. After an error *buffer is NULL. */
SCANTUNE_API scantune_status scantune_buffer_wrap(void* memory, uint64_t bytes, scantune_device device,
                                                  scantune_buffer** buffer);
/* Returns the device address of the buffer's bytes; NULL if the buffer is NULL or empty. */
SCANTUNE_API void* scantune_buffer_data(const scantune_buffer* buffer);
/* Both copy the first `bytes` bytes of the buffer. They wait for the scans on the device, so do not call them while a
 * stream is being captured. */
SCANTUNE_API scantune_status scantune_buffer_upload(scantune_buffer* buffer, const void* source, uint64_t bytes);
SCANTUNE_API scantune_status scantune_buffer_download(const scantune_buffer* buffer, void* destination, uint64_t bytes);
/* Destroys the buffer. No call may be using it, and no scan its memory. NULL is allowed. */
SCANTUNE_API void scantune_buffer_destroy(scantune_buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif
