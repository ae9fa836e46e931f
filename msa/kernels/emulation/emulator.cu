// Tensor memory and tcgen05 in software, for kernels of sm_100a that run on Hopper.
//
// rewrite.py puts calls of the `emu_` functions in the place of tcgen05 instructions. Tensor memory
// is global memory, a pool for each SM, so that the CTAs of an SM share it as they do on the chip.
// What an elected thread issues, products and commits, goes into its warp's queue; where the warp
// is together again, all of it works the queue off. When a product may run is the mode: eagerly, as
// soon as it was issued, or lazily, not before the commit behind it. To a correct kernel that is
// all the same.
//
// What the hardware does not allow, and what is not emulated, stops the kernel with a message.

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

namespace {

constexpr u32 WARP = 32;
constexpr u32 EVERY_LANE = ~0u;
constexpr u32 SMS = 144;   // of the whole die; %smid is less
constexpr u32 WARPS = 64;  // of an SM
constexpr u32 LANES = 128;
constexpr u32 COLUMNS = 512;
constexpr u32 ALLOCATION_UNIT = 32;  // columns
constexpr u32 POISON = ~0u;          // NaN, as FP32 and as two bf16
constexpr u32 ROWS_OF_PRODUCT = 128;
constexpr u32 CHUNK = 64;   // columns of B whose fragments are held in registers
constexpr u32 QUEUE = 128;  // entries
constexpr u64 SECOND = 1'000'000'000;
constexpr u64 ALLOCATION_DEADLINE = 10 * SECOND;
constexpr u64 LAST_WORDS = SECOND / 10;  // for other warps to report, before a trap ends them all
constexpr u32 MESSAGES = 64;

enum Kind : u32 { PRODUCT_OF_SHARED, PRODUCT_OF_TENSOR, COMMIT };

struct Entry {
  Kind kind;
  u32 d;            // address in tensor memory of the sums
  u64 a;            // descriptor, or address in tensor memory
  u64 b;            // descriptor
  u32 instruction;  // descriptor
  u32 accumulate;
  u32 barrier;  // of a commit
};

// Of `size` entries the first `runnable` may run.
struct Queue {
  u32 size, runnable;
  Entry entries[QUEUE];
};

__device__ u32 pool[SMS][COLUMNS][LANES];
__device__ u32 allocated[SMS];  // bit i: allocation unit i
__device__ Queue queues[SMS][WARPS];
__device__ u32 messages;

// The thread's place.

__device__ u32 sm() {
  u32 value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}

__device__ u32 lane() {
  u32 value;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(value));
  return value;
}

__device__ u64 now() {
  u64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

__device__ u32 thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// The shared memory that the kernel's launch sizes, in which the DSL puts everything.
extern __shared__ __align__(1024) char kernel_memory[];

__device__ Queue& queue() {
  u32 warp;  // of the SM, not of the CTA: CTAs that share an SM have queues of their own
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  return queues[sm()][warp];
}

// Messages.

__device__ void stop() {
  for (u64 start = now(); now() - start < LAST_WORDS;) {
  }
  __trap();
}

// Whether this thread is to speak for those of its warp that are with it.
__device__ bool speaks() {
  return lane() == __ffs(__activemask()) - 1 && atomicAdd(&messages, 1) < MESSAGES;
}

__device__ __noinline__ void refuse(const char* what, u32 value) {
  if (speaks()) {
    printf("emulation: block %u,%u,%u thread %u: %s (got 0x%x)\n", blockIdx.x, blockIdx.y,
           blockIdx.z, thread(), what, value);
  }
  stop();
}

__device__ void require(bool holds, const char* what, u32 value) {
  if (!holds) refuse(what, value);
}

// Tensor memory. An address has the lane in its upper half and the column in its lower.

__device__ u32 lane_of(u32 address) { return address >> 16; }
__device__ u32 column_of(u32 address) { return address & 0xffff; }

__device__ u32 units(u32 first, u32 count) {
  return ((1u << count / ALLOCATION_UNIT) - 1) << first / ALLOCATION_UNIT;
}

__device__ void require_allocated(u32 address, u32 columns) {
  u32 first = column_of(address);
  require(first + columns <= COLUMNS, "must use columns of tensor memory that exist", address);
  u32 begin = first / ALLOCATION_UNIT * ALLOCATION_UNIT;
  u32 end = (first + columns + ALLOCATION_UNIT - 1) / ALLOCATION_UNIT * ALLOCATION_UNIT;
  u32 wanted = units(begin, end - begin);
  u32 there = *reinterpret_cast<volatile u32*>(&allocated[sm()]);
  require((there & wanted) == wanted, "must use columns of tensor memory that are allocated",
          address);
}

// The rules for a load or a store of `lanes` lanes by each warp.
__device__ void require_access(u32 address, u32 lanes, u32 columns) {
  require_allocated(address, columns);
  require(lane_of(address) % lanes == 0, "must use aligned lanes of tensor memory", address);
  require(lane_of(address) / WARP == thread() / WARP % 4,
          "must use the quarter of tensor memory's lanes that belongs to the warp", address);
}

// Shared memory and matrix operands.

__device__ u32 load_u32(u32 address) {
  u32 value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

__device__ u32 load_u16(u32 address) {
  u16 value;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(address) : "memory");
  return value;
}

// A matrix of bf16 in shared memory, in rows of `row_bytes` that go along K or, if `transposed`,
// across. Eight rows are an atom; it is `stride` bytes to that of the next eight rows, and
// `leading` bytes to the one that continues the rows. The swizzle permutes the 16-byte pieces of a
// row.
struct Operand {
  u32 base, leading, stride, row_bytes, swizzle;
  bool transposed;
};

__device__ u32 bits(u64 word, u32 first, u32 count) { return word >> first & ((1u << count) - 1); }

__device__ Operand read_descriptor(u64 descriptor, bool transposed) {
  require(bits(descriptor, 46, 3) == 1 && bits(descriptor, 49, 4) == 0,
          "must have a matrix descriptor of tcgen05 without an offset", descriptor >> 32);
  u32 kind = bits(descriptor, 61, 3);
  require(kind == 2 || kind == 4 || kind == 6,
          "must have an operand swizzled by 32, 64 or 128 bytes", kind);
  u32 row_bytes = kind == 2 ? 128 : kind == 4 ? 64 : 32;
  return {bits(descriptor, 0, 14) * 16,
          bits(descriptor, 16, 14) * 16,
          bits(descriptor, 32, 14) * 16,
          row_bytes,
          row_bytes / 16 - 1,
          transposed};
}

__device__ u32 element(const Operand& operand, u32 mn, u32 k) {
  u32 row = operand.transposed ? k : mn;
  u32 place = 2 * (operand.transposed ? mn : k);
  u32 address = operand.base + row % 8 * operand.row_bytes + row / 8 * operand.stride +
                place % operand.row_bytes + place / operand.row_bytes * operand.leading;
  return address ^ (address >> 7 & operand.swizzle) << 4;
}

// Elements (mn, k) and (mn, k + 1).
__device__ u32 load_pair(const Operand& operand, u32 mn, u32 k) {
  if (!operand.transposed) return load_u32(element(operand, mn, k));
  return load_u16(element(operand, mn, k)) | load_u16(element(operand, mn, k + 1)) << 16;
}

// Products.

__device__ void mma(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The columns of a product, whose descriptor has to say 128 rows, bf16 times bf16 in FP32 and
// nothing more.
__device__ u32 product_columns(u32 instruction) {
  constexpr u32 SIZES_AND_MAJORS = 0x1f << 24 | 0x3f << 17 | 3 << 15;
  constexpr u32 FP32_OF_BF16 = 1 << 4 | 1 << 7 | 1 << 10;
  u32 columns = bits(instruction, 17, 6) * 8;
  require((instruction & ~SIZES_AND_MAJORS) == FP32_OF_BF16, "must multiply bf16 into FP32",
          instruction);
  require(bits(instruction, 24, 5) * 16 == ROWS_OF_PRODUCT, "must multiply 128 rows", instruction);
  require(columns % CHUNK == 0, "must multiply a multiple of 64 columns", instruction);
  return columns;
}

// By a whole warp: D = A B or D += A B, 128 rows and 16 of K. Fragments are those of mma.sync: this
// lane has, of row or column `lane / 4` (and 8 further), the elements `lane % 4 * 2` and the next
// (and 8 further).
__device__ void multiply(const Entry& entry) {
  u32 columns = product_columns(entry.instruction);
  bool of_tensor = entry.kind == PRODUCT_OF_TENSOR;
  require(lane_of(entry.d) == 0, "must put 128 rows into all lanes of tensor memory", entry.d);
  require_allocated(entry.d, columns);
  Operand a{};
  if (of_tensor) {
    require(!bits(entry.instruction, 15, 1), "must have A by rows in tensor memory",
            entry.instruction);
    require(lane_of(entry.a) == 0, "must have 128 rows of A in all lanes", entry.a);
    require_allocated(entry.a, 8);
  } else {
    a = read_descriptor(entry.a, bits(entry.instruction, 15, 1));
  }
  Operand b = read_descriptor(entry.b, bits(entry.instruction, 16, 1));
  auto& tensor = pool[sm()];
  u32 outer = lane() / 4;
  u32 inner = lane() % 4;
  for (u32 chunk = 0; chunk < columns; chunk += CHUNK) {
    u32 b_part[CHUNK / 8][2];
#pragma unroll
    for (u32 j = 0; j < CHUNK / 8; ++j) {
#pragma unroll
      for (u32 i = 0; i < 2; ++i)
        b_part[j][i] = load_pair(b, chunk + 8 * j + outer, 2 * inner + 8 * i);
    }
    for (u32 rows = 0; rows < ROWS_OF_PRODUCT; rows += 16) {
      u32 a_part[4];
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        u32 row = rows + outer + i % 2 * 8;
        u32 k = 2 * inner + i / 2 * 8;
        a_part[i] = of_tensor ? tensor[column_of(entry.a) + k / 2][row] : load_pair(a, row, k);
      }
      auto sum = [&](u32 j, u32 i) -> u32& {
        return tensor[column_of(entry.d) + chunk + 8 * j + 2 * inner + i % 2]
                     [rows + outer + i / 2 * 8];
      };
      float sums[CHUNK / 8][4];
#pragma unroll
      for (u32 j = 0; j < CHUNK / 8; ++j) {
#pragma unroll
        for (u32 i = 0; i < 4; ++i) sums[j][i] = entry.accumulate ? __uint_as_float(sum(j, i)) : 0;
      }
#pragma unroll
      for (u32 j = 0; j < CHUNK / 8; ++j) {
        mma(sums[j], a_part, b_part[j]);
#pragma unroll
        for (u32 i = 0; i < 4; ++i) sum(j, i) = __float_as_uint(sums[j][i]);
      }
    }
  }
}

__device__ void arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// By an elected thread.
__device__ void push(const Entry& entry, bool runnable) {
  Queue& mine = queue();
  require(mine.size < QUEUE, "must commit before 128 more products", mine.size);
  mine.entries[mine.size++] = entry;
  if (runnable) mine.runnable = mine.size;
}

}  // namespace

// By a warp at a kernel's start: an earlier kernel may have left products that it did not commit.
extern "C" __device__ __noinline__ void emu_begin() {
  require(sm() < SMS, "must run on an SM that has a pool", sm());
  if (lane() == 0) queue().size = queue().runnable = 0;
  __syncwarp();
}

// tcgen05.mma, `ss` with A in shared and `ts` with A in tensor memory.
extern "C" __device__ __noinline__ void emu_mma_ss(u32 d, u64 a, u64 b, u32 instruction,
                                                   u32 accumulate, u32 disabled, u32 eager) {
  require(disabled == 0, "must write all lanes of its sums", disabled);
  push({PRODUCT_OF_SHARED, d, a, b, instruction, accumulate, 0}, eager);
}

extern "C" __device__ __noinline__ void emu_mma_ts(u32 d, u32 a, u64 b, u32 instruction,
                                                   u32 accumulate, u32 disabled, u32 eager) {
  require(disabled == 0, "must write all lanes of its sums", disabled);
  push({PRODUCT_OF_TENSOR, d, a, b, instruction, accumulate, 0}, eager);
}

// tcgen05.commit.
extern "C" __device__ __noinline__ void emu_commit(u32 barrier) {
  push({COMMIT, 0, 0, 0, 0, 0, barrier}, true);
}

// By a whole warp, where the elected thread has come back to it.
extern "C" __device__ __noinline__ void emu_run() {
  __syncwarp();
  Queue& mine = queue();
  u32 size = mine.size;
  u32 runnable = mine.runnable;
  for (u32 i = 0; i < runnable; ++i) {
    Entry entry = mine.entries[i];
    if (entry.kind != COMMIT) {
      multiply(entry);
    } else {
      __threadfence_block();
      __syncwarp();
      if (lane() == 0) arrive(entry.barrier);
    }
  }
  __syncwarp();
  if (lane() == 0 && runnable > 0) {
    for (u32 i = runnable; i < size; ++i) mine.entries[i - runnable] = mine.entries[i];
    mine.size = size - runnable;
    mine.runnable = 0;
  }
  __syncwarp();
}

// tcgen05.alloc, by a whole warp: writes the address to shared memory at `result`.
extern "C" __device__ __noinline__ void emu_alloc(u32 result, u32 columns) {
  require(columns >= ALLOCATION_UNIT && columns <= COLUMNS && (columns & (columns - 1)) == 0,
          "must allocate a power of two of columns, from 32 to 512", columns);
  u32 first = COLUMNS;
  if (lane() == 0) {
    u64 start = now();
    while (first == COLUMNS) {
      u32 taken = *reinterpret_cast<volatile u32*>(&allocated[sm()]);
      for (u32 column = 0; column < COLUMNS && first == COLUMNS; column += columns) {
        u32 wanted = units(column, columns);
        if ((taken & wanted) == 0 && atomicCAS(&allocated[sm()], taken, taken | wanted) == taken) {
          first = column;
        }
      }
      require(now() - start < ALLOCATION_DEADLINE, "must get its columns: has a CTA kept some?",
              taken);
    }
  }
  first = __shfl_sync(EVERY_LANE, first, 0);
  u32* poisoned = pool[sm()][first];
  for (u32 i = lane(); i < columns * LANES; i += WARP) poisoned[i] = POISON;
  __threadfence_block();
  if (lane() == 0) asm volatile("st.shared.u32 [%0], %1;" ::"r"(result), "r"(first) : "memory");
  __syncwarp();
}

// tcgen05.dealloc, by a whole warp.
extern "C" __device__ __noinline__ void emu_dealloc(u32 address, u32 columns) {
  require(column_of(address) + columns <= COLUMNS, "must free columns that exist", address);
  require_allocated(address, columns);
  __threadfence_block();
  __syncwarp();
  if (lane() == 0) atomicAnd(&allocated[sm()], ~units(column_of(address), columns));
  __syncwarp();
}

// For tcgen05.ld and .st of shape 32x32b: where this thread's first register belongs. Each further
// one is a column, 512 bytes, on.
extern "C" __device__ __noinline__ u32* emu_tensor_32x32b(u32 address, u32 columns) {
  require_access(address, 32, columns);
  return &pool[sm()][column_of(address)][lane_of(address) + lane()];
}

// The same for shape 16x256b: of each eight columns, a thread has what it has of an accumulator of
// mma.sync.
extern "C" __device__ __noinline__ u32* emu_tensor_16x256b(u32 address, u32 columns) {
  require_access(address, 16, columns);
  return &pool[sm()][column_of(address) + lane() % 4 * 2][lane_of(address) + lane() / 4];
}

// After a test of an mbarrier that failed; `progress` is when this thread's last one succeeded.
extern "C" __device__ __noinline__ void emu_watch(u64 progress, u64 deadline, u32 barrier,
                                                  u32 line) {
  if (now() - progress < deadline) return;
  if (speaks()) {
    printf(
        "emulation: block %u,%u,%u thread %u hangs: waits for the mbarrier at byte %u of shared "
        "memory, in line %u of the PTX for sm_100a\n",
        blockIdx.x, blockIdx.y, blockIdx.z, thread(),
        barrier - static_cast<u32>(__cvta_generic_to_shared(kernel_memory)), line);
  }
  stop();
}
