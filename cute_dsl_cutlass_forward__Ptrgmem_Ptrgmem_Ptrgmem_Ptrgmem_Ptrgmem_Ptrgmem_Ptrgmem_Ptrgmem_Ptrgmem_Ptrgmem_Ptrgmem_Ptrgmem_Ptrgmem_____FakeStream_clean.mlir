!copy_stsm_4 = !cute.tiled_copy<!cute_nvgpu.atom.stsm<bf16, mode = <"(8,8)">, num_matrices = 4, n>, layout_copy_tv = <"((4,8,4),((2,2,16),(1,1))):((128,1,16),((64,8,512),(0,0)))">, tiler_mn = <"[64:1;128:1]">>
!memref_gmem_bf16 = !cute.memref<bf16, gmem, align<16>, "(64,8,2,?):(1,128,64,1024)">
!memref_gmem_bf16_1 = !cute.memref<bf16, gmem, align<16>, "(?,128,4):(512,1,128)">
!memref_gmem_bf16_2 = !cute.memref<bf16, gmem, align<16>, "(128,?,4):(1,512,128)">
!memref_gmem_f32 = !cute.memref<f32, gmem, align<16>, "1073741824:1">
!memref_gmem_i32 = !cute.memref<i32, gmem, align<16>, "1073741824:1">
!memref_gmem_i32_1 = !cute.memref<i32, gmem, "1073741824:1">
!memref_rmem_bf16 = !cute.memref<bf16, rmem, align<32>, "((2,2,2),1,8):((1,2,4),0,8)">
!memref_rmem_bf16_1 = !cute.memref<bf16, rmem, align<32>, "64:1">
!memref_rmem_bf16_2 = !cute.memref<bf16, rmem, align<32>, "((2,2,2),1):((1,2,4),0)">
!memref_rmem_bf16_3 = !cute.memref<bf16, rmem, align<16>, "((2,2,2),1):((1,2,4),0)">
!memref_rmem_bf16_4 = !cute.memref<bf16, rmem, align<32>, "((2,2,16),1,1):((1,2,4),0,0)">
!memref_rmem_bf16_5 = !cute.memref<bf16, rmem, align<32>, "((8,8),1,1):((1,8),0,0)">
!memref_rmem_bf16_6 = !cute.memref<bf16, rmem, align<32>, "((8,8),(1,1)):((1,8),(0,0))">
!memref_rmem_f32 = !cute.memref<f32, rmem, align<32>, "((2,2,16),1,1):((1,2,4),0,0)">
!memref_rmem_f32_1 = !cute.memref<f32, rmem, align<32>, "64:1">
!memref_rmem_i32 = !cute.memref<i32, rmem, align<32>, "4:1">
!memref_rmem_i32_1 = !cute.memref<i32, rmem, align<32>, "(4,1):(1,0)">
!memref_smem_bf16 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
!memref_smem_bf16_1 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
!memref_smem_bf16_2 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "(((8,16),(64,2)),(1,2)):(((64,512),(1,8192)),(0,16384))">
!memref_smem_bf16_3 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8192,2),(1,2)):((1,8192),(0,16384))">
!memref_smem_bf16_4 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "(((64,2),(8,16)),(1,2)):(((1,8192),(64,512)),(0,16384))">
!memref_smem_bf16_5 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8192,2)):((1,8192))">
!memref_smem_bf16_6 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8192,2),1):((1,8192),0)">
!memref_smem_bf16_7 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8192,2),(1)):((1,8192),(0))">
!memref_smem_bf16_8 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((64,8,2,2),4,2,3):((1,64,512,1024),2048,8192,16384)">
!memref_smem_bf16_9 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((64,8,2,2),4,2):((1,64,512,1024),2048,8192)">
!memref_smem_bf16_10 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((2048,1),4,2):((1,0),2048,8192)">
!memref_smem_bf16_11 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((2048,1)):((1,0))">
!memref_smem_bf16_12 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((2048,1),1):((1,0),0)">
!memref_smem_bf16_13 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((2048,1),(1)):((1,0),(0))">
!memref_smem_bf16_14 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8,8),(64,2),2,3):((64,1024),(1,512),8192,16384)">
!memref_smem_bf16_15 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((8,8),(64,2),2):((64,1024),(1,512),8192)">
!memref_smem_bf16_16 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "(((8,8),16),1,(4,2),2):(((64,1024),1),0,(16,512),8192)">
!memref_smem_bf16_17 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((128,16),1,(4,2),(1,2)):((64,1),0,(16,8192),(0,16384))">
!memref_smem_bf16_18 = !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "(((64,2),16),1,8,(1,2)):(((1,8192),64),0,1024,(0,16384))">
!memref_smem_bf16_19 = !cute.memref<bf16, smem, align<16>, S<3,4,3>, "((8,(4,2)),1,1,2):((1,(16,512)),0,0,8192)">
!memref_smem_bf16_20 = !cute.memref<bf16, smem, align<16>, S<3,4,3>, "((8,(4,2)),1,1):((1,(16,512)),0,0)">
!memref_smem_bf16_21 = !cute.memref<bf16, smem, align<16>, S<3,4,3>, "((8,(4,2)),(1,1)):((1,(16,512)),(0,0))">
!memref_smem_i32 = !cute.memref<i32, smem, align<16>, "(4,2):(1,4)">
!memref_smem_i32_1 = !cute.memref<i32, smem, align<16>, "(2,4,2,3):(1,2,8,16)">
!memref_smem_i32_2 = !cute.memref<i32, smem, align<16>, "(2,4,2):(1,2,8)">
!memref_smem_i32_3 = !cute.memref<i32, smem, align<16>, "(4,32,8):(1,4,128)">
!memref_smem_i32_4 = !cute.memref<i32, smem, align<16>, "(4):(1)">
!memref_smem_i32_5 = !cute.memref<i32, smem, align<16>, "(4,1):(1,0)">
!memref_smem_i8 = !cute.memref<i8, smem, align<8>, "144:1">
!memref_smem_i8_1 = !cute.memref<i8, smem, align<1024>, "65536:1">
!memref_smem_i8_2 = !cute.memref<i8, smem, align<1024>, "98304:1">
!memref_smem_i8_3 = !cute.memref<i8, smem, align<16>, "32:1">
!memref_smem_i8_4 = !cute.memref<i8, smem, align<16>, "192:1">
!mma_bf16_bf16_f32_64x128x16 = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">, permutation_MNK = <"[_;_;_]">>
!mma_bf16_bf16_f32_64x128x16_1 = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, atom_layout_MNK = <"(1,1,1):(0,0,0)">, permutation_MNK = <"[_;_;_]">>
#loop_unroll = #llvm.loop_unroll<disable = true, count = 1 : i32>
#loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @msa_attention_forward_0(%arg0: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg1: !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, %arg2: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg3: !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, %arg4: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg5: !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, %arg6: !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg7: !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, %arg8: !cute.ptr<bf16, gmem, align<16>>, %arg9: !cute.ptr<f32, gmem, align<16>>, %arg10: !cute.ptr<i32, gmem, align<16>>, %arg11: !cute.ptr<f32, gmem, align<16>>, %arg12: !cute.ptr<i32, gmem, align<16>>, %arg13: !cute.ptr<i32, gmem, align<16>>, %arg14: !cute.ptr<i32, gmem, align<16>>, %arg15: !cute.ptr<i32, gmem, align<16>>, %arg16: !cute.ptr<i32, gmem, align<16>>, %arg17: !cute.ptr<i32, gmem, align<16>>, %arg18: i32) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, cutlass_launch_facts = {cluster_launch = false, cooperative_launch = false, exact_block_dim = array<i64: 512, 1, 1>, schema_version = 1 : i64}, gpu.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 512, 1, 1>, smem.hint_smem_base_uniform, smem.partition_num = 2 : i32} {
      %cst = arith.constant 0.127517432 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %c121_i32 = arith.constant 121 : i32
      %c120_i32 = arith.constant 120 : i32
      %c113_i32 = arith.constant 113 : i32
      %c112_i32 = arith.constant 112 : i32
      %c105_i32 = arith.constant 105 : i32
      %c104_i32 = arith.constant 104 : i32
      %c97_i32 = arith.constant 97 : i32
      %c96_i32 = arith.constant 96 : i32
      %c89_i32 = arith.constant 89 : i32
      %c88_i32 = arith.constant 88 : i32
      %c81_i32 = arith.constant 81 : i32
      %c80_i32 = arith.constant 80 : i32
      %c73_i32 = arith.constant 73 : i32
      %c72_i32 = arith.constant 72 : i32
      %c65_i32 = arith.constant 65 : i32
      %c64_i32 = arith.constant 64 : i32
      %c57_i32 = arith.constant 57 : i32
      %c56_i32 = arith.constant 56 : i32
      %c49_i32 = arith.constant 49 : i32
      %c48_i32 = arith.constant 48 : i32
      %c41_i32 = arith.constant 41 : i32
      %c40_i32 = arith.constant 40 : i32
      %c33_i32 = arith.constant 33 : i32
      %c25_i32 = arith.constant 25 : i32
      %c24_i32 = arith.constant 24 : i32
      %c17_i32 = arith.constant 17 : i32
      %c16_i32 = arith.constant 16 : i32
      %c9_i32 = arith.constant 9 : i32
      %c8_i32 = arith.constant 8 : i32
      %cst_1 = arith.constant 0xFF800000 : f32
      %c127_i32 = arith.constant 127 : i32
      %true = arith.constant true
      %false = arith.constant false
      %c16_i64 = arith.constant 16 : i64
      %c16384_i32 = arith.constant 16384 : i32
      %c128_i32 = arith.constant 128 : i32
      %c65536_i32 = arith.constant 65536 : i32
      %c10000000_i32 = arith.constant 10000000 : i32
      %c3_i32 = arith.constant 3 : i32
      %c2_i32 = arith.constant 2 : i32
      %c4_i64 = arith.constant 4 : i64
      %c31_i32 = arith.constant 31 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c32_i32 = arith.constant 32 : i32
      %c4_i32 = arith.constant 4 : i32
      %c15_i32 = arith.constant 15 : i32
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %0 = cute.static : !cute.swizzle<"S<3,4,3>">
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8
      %iter = cute.get_iter(%smem) : !memref_smem_i8
      %iter_2 = cute.recast_iter(%iter) : !cute.ptr<i8, smem, align<8>> to !cute.ptr<i64, smem>
      %shape = cute.make_shape() : () -> !cute.shape<"(8,64)">
      %stride = cute.make_stride() : () -> !cute.stride<"(64,1)">
      %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(8,64):(64,1)">
      %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
      %lay_3 = cute.make_composed_layout(%0, %int_tuple, %lay) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
      %shape_4 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
      %int_tuple_5 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
      %tile_to_shape = cute.tile_to_shape(%lay_3, %shape_4, %int_tuple_5) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %1 = cute.composed_get_outer(%tile_to_shape) : (!cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">) -> !cute.layout<"((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %smem_6 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
      %iter_7 = cute.get_iter(%smem_6) : !memref_smem_i8_1
      %iter_8 = cute.recast_iter(%iter_7) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %view = cute.make_view(%iter_8, %1) : !memref_smem_bf16
      %shape_9 = cute.make_shape() : () -> !cute.shape<"(64,8)">
      %stride_10 = cute.make_stride() : () -> !cute.stride<"(1,64)">
      %lay_11 = cute.make_layout(%shape_9, %stride_10) : !cute.layout<"(64,8):(1,64)">
      %lay_12 = cute.make_composed_layout(%0, %int_tuple, %lay_11) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">
      %int_tuple_13 = cute.make_int_tuple() : () -> !cute.int_tuple<"(1,0,2)">
      %tile_to_shape_14 = cute.tile_to_shape(%lay_12, %shape_4, %int_tuple_13) : (!cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(1,0,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
      %2 = cute.composed_get_outer(%tile_to_shape_14) : (!cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">) -> !cute.layout<"((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
      %smem_15 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
      %iter_16 = cute.get_iter(%smem_15) : !memref_smem_i8_1
      %iter_17 = cute.recast_iter(%iter_16) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %view_18 = cute.make_view(%iter_17, %2) : !memref_smem_bf16_1
      %smem_19 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_2
      %iter_20 = cute.get_iter(%smem_19) : !memref_smem_i8_2
      %iter_21 = cute.recast_iter(%iter_20) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %shape_22 = cute.make_shape() : () -> !cute.shape<"(4,2)">
      %lay_23 = cute.make_layout(%shape_22) : !cute.layout<"(4,2):(1,4)">
      %smem_24 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_3
      %iter_25 = cute.get_iter(%smem_24) : !memref_smem_i8_3
      %iter_26 = cute.recast_iter(%iter_25) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_27 = cute.make_view(%iter_26, %lay_23) : !memref_smem_i32
      %shape_28 = cute.make_shape() : () -> !cute.shape<"(2,4,2,3)">
      %lay_29 = cute.make_layout(%shape_28) : !cute.layout<"(2,4,2,3):(1,2,8,16)">
      %smem_30 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_4
      %iter_31 = cute.get_iter(%smem_30) : !memref_smem_i8_4
      %iter_32 = cute.recast_iter(%iter_31) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_33 = cute.make_view(%iter_32, %lay_29) : !memref_smem_i32_1
      %int_tuple_34 = cute.make_int_tuple() : () -> !cute.int_tuple<"2">
      %ptr = cute.add_offset(%iter_2, %int_tuple_34) : (!cute.ptr<i64, smem>, !cute.int_tuple<"2">) -> !cute.ptr<i64, smem>
      %int_tuple_35 = cute.make_int_tuple() : () -> !cute.int_tuple<"4">
      %ptr_36 = cute.add_offset(%iter_2, %int_tuple_35) : (!cute.ptr<i64, smem>, !cute.int_tuple<"4">) -> !cute.ptr<i64, smem>
      %int_tuple_37 = cute.make_int_tuple() : () -> !cute.int_tuple<"6">
      %ptr_38 = cute.add_offset(%iter_2, %int_tuple_37) : (!cute.ptr<i64, smem>, !cute.int_tuple<"6">) -> !cute.ptr<i64, smem>
      %int_tuple_39 = cute.make_int_tuple() : () -> !cute.int_tuple<"12">
      %ptr_40 = cute.add_offset(%iter_2, %int_tuple_39) : (!cute.ptr<i64, smem>, !cute.int_tuple<"12">) -> !cute.ptr<i64, smem>
      %3 = nvvm.read.ptx.sreg.tid.x : i32
      %4 = arith.cmpi eq, %3, %c0_i32 : i32
      scf.if %4 {
        %18 = builtin.unrealized_conversion_cast %iter_2 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %18, %c1_i32 : !llvm.ptr<3>, i32
        %19 = builtin.unrealized_conversion_cast %ptr : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %19, %c15_i32 : !llvm.ptr<3>, i32
        %20 = builtin.unrealized_conversion_cast %ptr_36 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %20, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_41 = cute.make_int_tuple() : () -> !cute.int_tuple<"1">
        %ptr_42 = cute.add_offset(%iter_2, %int_tuple_41) : (!cute.ptr<i64, smem>, !cute.int_tuple<"1">) -> !cute.ptr<i64, smem>
        %21 = builtin.unrealized_conversion_cast %ptr_42 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %21, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_43 = cute.make_int_tuple() : () -> !cute.int_tuple<"3">
        %ptr_44 = cute.add_offset(%iter_2, %int_tuple_43) : (!cute.ptr<i64, smem>, !cute.int_tuple<"3">) -> !cute.ptr<i64, smem>
        %22 = builtin.unrealized_conversion_cast %ptr_44 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %22, %c15_i32 : !llvm.ptr<3>, i32
        %int_tuple_45 = cute.make_int_tuple() : () -> !cute.int_tuple<"5">
        %ptr_46 = cute.add_offset(%iter_2, %int_tuple_45) : (!cute.ptr<i64, smem>, !cute.int_tuple<"5">) -> !cute.ptr<i64, smem>
        %23 = builtin.unrealized_conversion_cast %ptr_46 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %23, %c1_i32 : !llvm.ptr<3>, i32
        %24 = builtin.unrealized_conversion_cast %ptr_38 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %24, %c1_i32 : !llvm.ptr<3>, i32
        %25 = builtin.unrealized_conversion_cast %ptr_40 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %25, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_47 = cute.make_int_tuple() : () -> !cute.int_tuple<"7">
        %ptr_48 = cute.add_offset(%iter_2, %int_tuple_47) : (!cute.ptr<i64, smem>, !cute.int_tuple<"7">) -> !cute.ptr<i64, smem>
        %26 = builtin.unrealized_conversion_cast %ptr_48 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %26, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_49 = cute.make_int_tuple() : () -> !cute.int_tuple<"13">
        %ptr_50 = cute.add_offset(%iter_2, %int_tuple_49) : (!cute.ptr<i64, smem>, !cute.int_tuple<"13">) -> !cute.ptr<i64, smem>
        %27 = builtin.unrealized_conversion_cast %ptr_50 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %27, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_51 = cute.make_int_tuple() : () -> !cute.int_tuple<"8">
        %ptr_52 = cute.add_offset(%iter_2, %int_tuple_51) : (!cute.ptr<i64, smem>, !cute.int_tuple<"8">) -> !cute.ptr<i64, smem>
        %28 = builtin.unrealized_conversion_cast %ptr_52 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %28, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_53 = cute.make_int_tuple() : () -> !cute.int_tuple<"14">
        %ptr_54 = cute.add_offset(%iter_2, %int_tuple_53) : (!cute.ptr<i64, smem>, !cute.int_tuple<"14">) -> !cute.ptr<i64, smem>
        %29 = builtin.unrealized_conversion_cast %ptr_54 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %29, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_55 = cute.make_int_tuple() : () -> !cute.int_tuple<"9">
        %ptr_56 = cute.add_offset(%iter_2, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"9">) -> !cute.ptr<i64, smem>
        %30 = builtin.unrealized_conversion_cast %ptr_56 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %30, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_57 = cute.make_int_tuple() : () -> !cute.int_tuple<"15">
        %ptr_58 = cute.add_offset(%iter_2, %int_tuple_57) : (!cute.ptr<i64, smem>, !cute.int_tuple<"15">) -> !cute.ptr<i64, smem>
        %31 = builtin.unrealized_conversion_cast %ptr_58 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %31, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_59 = cute.make_int_tuple() : () -> !cute.int_tuple<"10">
        %ptr_60 = cute.add_offset(%iter_2, %int_tuple_59) : (!cute.ptr<i64, smem>, !cute.int_tuple<"10">) -> !cute.ptr<i64, smem>
        %32 = builtin.unrealized_conversion_cast %ptr_60 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %32, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_61 = cute.make_int_tuple() : () -> !cute.int_tuple<"16">
        %ptr_62 = cute.add_offset(%iter_2, %int_tuple_61) : (!cute.ptr<i64, smem>, !cute.int_tuple<"16">) -> !cute.ptr<i64, smem>
        %33 = builtin.unrealized_conversion_cast %ptr_62 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %33, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_63 = cute.make_int_tuple() : () -> !cute.int_tuple<"11">
        %ptr_64 = cute.add_offset(%iter_2, %int_tuple_63) : (!cute.ptr<i64, smem>, !cute.int_tuple<"11">) -> !cute.ptr<i64, smem>
        %34 = builtin.unrealized_conversion_cast %ptr_64 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %34, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_65 = cute.make_int_tuple() : () -> !cute.int_tuple<"17">
        %ptr_66 = cute.add_offset(%iter_2, %int_tuple_65) : (!cute.ptr<i64, smem>, !cute.int_tuple<"17">) -> !cute.ptr<i64, smem>
        %35 = builtin.unrealized_conversion_cast %ptr_66 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %35, %c4_i32 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      nvvm.barrier
      %5 = nvvm.read.ptx.sreg.tid.y : i32
      %6 = nvvm.read.ptx.sreg.tid.z : i32
      %7 = nvvm.read.ptx.sreg.ntid.x : i32
      %8 = nvvm.read.ptx.sreg.ntid.y : i32
      %9 = arith.muli %5, %7 : i32
      %10 = arith.addi %3, %9 : i32
      %11 = arith.muli %6, %7 : i32
      %12 = arith.muli %11, %8 : i32
      %13 = arith.addi %10, %12 : i32
      %14 = arith.floordivsi %13, %c32_i32 : i32
      %15 = cute_nvgpu.arch.make_warp_uniform(%14) : i32
      %16 = cute_nvgpu.arch.make_warp_uniform(%15) : i32
      %17 = arith.cmpi slt, %16, %c4_i32 : i32
      scf.if %17 {
        nvvm.setmaxregister decrease 32
        %18 = arith.cmpi eq, %16, %c0_i32 : i32
        scf.if %18 {
          %19 = nvvm.read.ptx.sreg.laneid : i32
          %tile = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
          %div = cute.flat_divide(%arg3, %tile) : !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute.tile<"[128:1;128:1]">
          %grouped = cute.group_modes(%div) <0, 2> : (!cute.coord_tensor<"(0,0,0)", "(128,128,?,1,4):(1@1,1@0,128@1,0,1@2)">) -> !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">
          %grouped_41 = cute.group_modes(%view) <0, 2> : (!memref_smem_bf16) -> !memref_smem_bf16_2
          %shape_42 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_43 = cute.make_layout(%shape_42) : !cute.layout<"1:0">
          %coord = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg2, %coord, %lay_43, %grouped_41, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_2, !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">) -> (!memref_smem_bf16_3, !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">)
          %div_44 = cute.flat_divide(%arg5, %tile) : !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">
          %grouped_45 = cute.group_modes(%div_44) <0, 2> : (!cute.coord_tensor<"(0,0,0)", "(128,128,1,?,4):(1@0,1@1,0,128@1,1@2)">) -> !cute.coord_tensor<"(0,0,0)", "((128,128),1,?,4):((1@0,1@1),0,128@1,1@2)">
          %grouped_46 = cute.group_modes(%view_18) <0, 2> : (!memref_smem_bf16_1) -> !memref_smem_bf16_4
          %res_smem_tensor_47, %res_target_tensors_48 = cute_nvgpu.atom.tma_partition(%arg4, %coord, %lay_43, %grouped_46, %grouped_45) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_4, !cute.coord_tensor<"(0,0,0)", "((128,128),1,?,4):((1@0,1@1),0,128@1,1@2)">) -> (!memref_smem_bf16_3, !cute.coord_tensor<"(0,0,0)", "(((64,128),2),1,?,4):(((1@0,1@1),64@0),0,128@1,1@2)">)
          %shape_49 = cute.make_shape() : () -> !cute.shape<"1073741824">
          %lay_50 = cute.make_layout(%shape_49) : !cute.layout<"1073741824:1">
          %view_51 = cute.make_view(%arg15, %lay_50) : !memref_gmem_i32
          %20 = cute.memref.load(%view_51, %coord) : (!memref_gmem_i32, !cute.coord<"0">) -> i32
          %21 = scf.while (%arg19 = %c1_i32, %arg20 = %c0_i32) : (i32, i32) -> i32 {
            %22 = arith.cmpi sgt, %arg19, %c0_i32 : i32
            scf.condition(%22) %arg20 : i32
          } do {
          ^bb0(%arg19: i32):
            %22 = arith.cmpi eq, %19, %c0_i32 : i32
            %23 = scf.if %22 -> (i32) {
              %39 = builtin.unrealized_conversion_cast %arg16 : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
              %40 = nvvm.atomicrmw add %39, %c1_i32 : !llvm.ptr<1>, i32
              scf.yield %40 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %24 = nvvm.shfl.sync idx %c-1_i32, %23, %c0_i32, %c31_i32 : i32 -> i32
            %25 = arith.cmpi slt, %24, %20 : i32
            %26 = arith.cmpi slt, %19, %c4_i32 : i32
            %27 = arith.andi %25, %26 : i1
            %28 = scf.if %27 -> (i32) {
              %39 = arith.extsi %24 : i32 to i64
              %40 = arith.muli %39, %c4_i64 : i64
              %int_tuple_55 = cute.make_int_tuple(%40) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_56 = cute.add_offset(%arg14, %int_tuple_55) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_57 = cute.make_view(%ptr_56, %lay_50) : !memref_gmem_i32_1
              %coord_58 = cute.make_coord(%19) : (i32) -> !cute.coord<"?">
              %41 = cute.memref.load(%view_57, %coord_58) : (!memref_gmem_i32_1, !cute.coord<"?">) -> i32
              scf.yield %41 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %29 = nvvm.shfl.sync idx %c-1_i32, %28, %c1_i32, %c31_i32 : i32 -> i32
            %30 = nvvm.shfl.sync idx %c-1_i32, %28, %c2_i32, %c31_i32 : i32 -> i32
            %31 = nvvm.shfl.sync idx %c-1_i32, %28, %c3_i32, %c31_i32 : i32 -> i32
            %32 = arith.andi %arg19, %c1_i32 : i32
            %33 = arith.shrsi %arg19, %c1_i32 : i32
            %34 = arith.andi %33, %c1_i32 : i32
            %int_tuple_52 = cute.make_int_tuple(%32) : (i32) -> !cute.int_tuple<"?">
            %ptr_53 = cute.add_offset(%ptr_36, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_54 = cute.add_offset(%ptr, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %35 = arith.xori %34, %c1_i32 : i32
            %36 = builtin.unrealized_conversion_cast %ptr_54 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %36, %35, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            scf.if %26 {
              %coord_55 = cute.make_coord(%19, %32) : (i32, i32) -> !cute.coord<"(?,?)">
              cute.memref.store(%view_27, %coord_55, %28) : (!memref_smem_i32, !cute.coord<"(?,?)">, i32) -> ()
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            scf.if %22 {
              %ptr_55 = cute.add_offset(%iter_2, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %39 = builtin.unrealized_conversion_cast %ptr_55 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %40 = nvvm.mbarrier.arrive %39, %c1_i32 : !llvm.ptr<3> -> i64
              %41 = arith.cmpi sgt, %29, %c0_i32 : i32
              scf.if %41 {
                %42 = builtin.unrealized_conversion_cast %ptr_53 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %43 = nvvm.mbarrier.arrive.expect_tx %42, %c65536_i32 : !llvm.ptr<3>, i32 -> i64
              }
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            %37 = arith.cmpi sgt, %29, %c0_i32 : i32
            scf.if %37 {
              %coord_55 = cute.make_coord(%31, %30) : (i32, i32) -> !cute.coord<"(_,?,0,?)">
              %slice = cute.slice(%res_target_tensors, %coord_55) : !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">, !cute.coord<"(_,?,0,?)">
              %iter_56 = cute.get_iter(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %tup = cute.deref_arith_tuple_iter(%iter_56) : !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %e0, %e1, %e2 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,?{div=128},?)">
              %coord_57 = cute.make_coord(%32) : (i32) -> !cute.coord<"(_,?)">
              %slice_58 = cute.slice(%res_smem_tensor, %coord_57) : !memref_smem_bf16_3, !cute.coord<"(_,?)">
              %iter_59 = cute.get_iter(%slice_58) : !memref_smem_bf16_5
              %lay_60 = cute.get_layout(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %lay_61 = cute.get_layout(%slice_58) : !memref_smem_bf16_5
              %append = cute.append_to_rank<2> (%lay_60, %lay_43) : !cute.layout<"(((64,128),2)):(((1@0,1@1),64@0))">, !cute.layout<"1:0">
              %int_tuple_62 = cute.make_int_tuple(%e1, %e2) : (!cute.int_tuple<"?{div=128}">, !cute.int_tuple<"?">) -> !cute.int_tuple<"(0,?{div=128},?)">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_62) : (!cute.int_tuple<"(0,?{div=128},?)">) -> !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %view_63 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">
              %grouped_64 = cute.group_modes(%view_63) <1, 2> : (!cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">) -> !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">
              %append_65 = cute.append_to_rank<2> (%lay_61, %lay_43) : !cute.layout<"((8192,2)):((1,8192))">, !cute.layout<"1:0">
              %view_66 = cute.make_view(%iter_59, %append_65) : !memref_smem_bf16_6
              %grouped_67 = cute.group_modes(%view_66) <1, 2> : (!memref_smem_bf16_6) -> !memref_smem_bf16_7
              %39 = cute_nvgpu.atom.make_exec_tma(%arg2) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>
              %40 = cute_nvgpu.atom.set_value<tma_bar>(%39, %ptr_53) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.ptr<i64, smem>)
              cute.copy(%40, %grouped_64, %grouped_67) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">, !memref_smem_bf16_7)
              %coord_68 = cute.make_coord(%31, %30) : (i32, i32) -> !cute.coord<"(_,0,?,?)">
              %slice_69 = cute.slice(%res_target_tensors_48, %coord_68) : !cute.coord_tensor<"(0,0,0)", "(((64,128),2),1,?,4):(((1@0,1@1),64@0),0,128@1,1@2)">, !cute.coord<"(_,0,?,?)">
              %iter_70 = cute.get_iter(%slice_69) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %tup_71 = cute.deref_arith_tuple_iter(%iter_70) : !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %e0_72, %e1_73, %e2_74 = cute.get_leaves(%tup_71) : !cute.int_tuple<"(0,?{div=128},?)">
              %slice_75 = cute.slice(%res_smem_tensor_47, %coord_57) : !memref_smem_bf16_3, !cute.coord<"(_,?)">
              %iter_76 = cute.get_iter(%slice_75) : !memref_smem_bf16_5
              %lay_77 = cute.get_layout(%slice_69) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %lay_78 = cute.get_layout(%slice_75) : !memref_smem_bf16_5
              %append_79 = cute.append_to_rank<2> (%lay_77, %lay_43) : !cute.layout<"(((64,128),2)):(((1@0,1@1),64@0))">, !cute.layout<"1:0">
              %int_tuple_80 = cute.make_int_tuple(%e1_73, %e2_74) : (!cute.int_tuple<"?{div=128}">, !cute.int_tuple<"?">) -> !cute.int_tuple<"(0,?{div=128},?)">
              %int_tup_iter_81 = cute.make_arith_tuple_iter(%int_tuple_80) : (!cute.int_tuple<"(0,?{div=128},?)">) -> !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %view_82 = cute.make_view(%int_tup_iter_81, %append_79) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">
              %grouped_83 = cute.group_modes(%view_82) <1, 2> : (!cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">) -> !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">
              %append_84 = cute.append_to_rank<2> (%lay_78, %lay_43) : !cute.layout<"((8192,2)):((1,8192))">, !cute.layout<"1:0">
              %view_85 = cute.make_view(%iter_76, %append_84) : !memref_smem_bf16_6
              %grouped_86 = cute.group_modes(%view_85) <1, 2> : (!memref_smem_bf16_6) -> !memref_smem_bf16_7
              %41 = cute_nvgpu.atom.make_exec_tma(%arg4) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>
              %42 = cute_nvgpu.atom.set_value<tma_bar>(%41, %ptr_53) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>, !cute.ptr<i64, smem>)
              cute.copy(%42, %grouped_83, %grouped_86) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>, !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">, !memref_smem_bf16_7)
            }
            %38 = arith.addi %arg19, %c1_i32 : i32
            scf.yield %29, %38 : i32, i32
          }
        } else {
          %19 = arith.subi %16, %c1_i32 : i32
          %20 = nvvm.read.ptx.sreg.laneid : i32
          %coord = cute.make_coord(%19) : (i32) -> !cute.coord<"(_,_,_,?)">
          %slice = cute.slice(%view_33, %coord) : !memref_smem_i32_1, !cute.coord<"(_,_,_,?)">
          %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
          %div = cute.flat_divide(%arg1, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
          %grouped = cute.group_modes(%div) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
          %shape_41 = cute.make_shape() : () -> !cute.shape<"((64,8,2,2),4,2,3)">
          %stride_42 = cute.make_stride() : () -> !cute.stride<"((1,64,512,1024),2048,8192,16384)">
          %lay_43 = cute.make_layout(%shape_41, %stride_42) : !cute.layout<"((64,8,2,2),4,2,3):((1,64,512,1024),2048,8192,16384)">
          %view_44 = cute.make_view(%iter_21, %lay_43) : !memref_smem_bf16_8
          %slice_45 = cute.slice(%view_44, %coord) : !memref_smem_bf16_8, !cute.coord<"(_,_,_,?)">
          %shape_46 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_47 = cute.make_layout(%shape_46) : !cute.layout<"1:0">
          %coord_48 = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg0, %coord_48, %lay_47, %slice_45, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
          %coord_49 = cute.make_coord() : () -> !cute.coord<"(_,0,0,0,_)">
          %slice_50 = cute.slice(%res_target_tensors, %coord_49) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
          %21 = arith.cmpi slt, %20, %c4_i32 : i32
          scf.if %21 {
            %coord_51 = cute.make_coord(%20) : (i32) -> !cute.coord<"(0,?,0)">
            cute.memref.store(%slice, %coord_51, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,0)">, i32) -> ()
            %coord_52 = cute.make_coord(%20) : (i32) -> !cute.coord<"(0,?,1)">
            cute.memref.store(%slice, %coord_52, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,1)">, i32) -> ()
          }
          nvvm.bar.warp.sync %c-1_i32 : i32
          %22:3 = scf.while (%arg19 = %c1_i32, %arg20 = %c0_i32, %arg21 = %19, %arg22 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
            %24 = arith.cmpi sgt, %arg19, %c0_i32 : i32
            scf.condition(%24) %arg20, %arg21, %arg22 : i32, i32, i32
          } do {
          ^bb0(%arg19: i32, %arg20: i32, %arg21: i32):
            %24 = arith.andi %arg21, %c1_i32 : i32
            %25 = arith.shrsi %arg21, %c1_i32 : i32
            %26 = arith.andi %25, %c1_i32 : i32
            %int_tuple_51 = cute.make_int_tuple(%24) : (i32) -> !cute.int_tuple<"?">
            %ptr_52 = cute.add_offset(%iter_2, %int_tuple_51) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %27 = builtin.unrealized_conversion_cast %ptr_52 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %27, %26, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %coord_53 = cute.make_coord(%24) : (i32) -> !cute.coord<"(0,?)">
            %28 = cute.memref.load(%view_27, %coord_53) : (!memref_smem_i32, !cute.coord<"(0,?)">) -> i32
            %coord_54 = cute.make_coord(%24) : (i32) -> !cute.coord<"(1,?)">
            %29 = cute.memref.load(%view_27, %coord_54) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
            %coord_55 = cute.make_coord(%24) : (i32) -> !cute.coord<"(2,?)">
            %30 = cute.memref.load(%view_27, %coord_55) : (!memref_smem_i32, !cute.coord<"(2,?)">) -> i32
            %coord_56 = cute.make_coord(%24) : (i32) -> !cute.coord<"(3,?)">
            %31 = cute.memref.load(%view_27, %coord_56) : (!memref_smem_i32, !cute.coord<"(3,?)">) -> i32
            %32 = math.ctpop %31 : i32
            %33 = arith.andi %32, %c1_i32 : i32
            %34:2 = scf.while (%arg22 = %arg19, %arg23 = %arg20) : (i32, i32) -> (i32, i32) {
              %38 = arith.cmpi slt, %arg23, %29 : i32
              scf.condition(%38) %arg22, %arg23 : i32, i32
            } do {
            ^bb0(%arg22: i32, %arg23: i32):
              %38 = arith.addi %28, %arg23 : i32
              %39 = arith.extsi %38 : i32 to i64
              %40 = arith.muli %39, %c4_i64 : i64
              %41 = arith.remsi %20, %c4_i32 : i32
              %42 = arith.extsi %41 : i32 to i64
              %43 = arith.addi %40, %42 : i64
              %int_tuple_57 = cute.make_int_tuple(%43) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_58 = cute.add_offset(%arg12, %int_tuple_57) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %shape_59 = cute.make_shape() : () -> !cute.shape<"1073741824">
              %lay_60 = cute.make_layout(%shape_59) : !cute.layout<"1073741824:1">
              %view_61 = cute.make_view(%ptr_58, %lay_60) : !memref_gmem_i32_1
              %44 = cute.memref.load(%view_61, %coord_48) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %ptr_62 = cute.add_offset(%arg13, %int_tuple_57) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_63 = cute.make_view(%ptr_62, %lay_60) : !memref_gmem_i32_1
              %45 = cute.memref.load(%view_63, %coord_48) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %46 = arith.andi %arg22, %c1_i32 : i32
              %47 = arith.shrsi %arg22, %c1_i32 : i32
              %48 = arith.andi %47, %c1_i32 : i32
              %49 = arith.muli %19, %c2_i32 : i32
              %int_tuple_64 = cute.make_int_tuple(%49) : (i32) -> !cute.int_tuple<"?">
              %ptr_65 = cute.add_offset(%ptr_38, %int_tuple_64) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %int_tuple_66 = cute.make_int_tuple(%46) : (i32) -> !cute.int_tuple<"?">
              %ptr_67 = cute.add_offset(%ptr_65, %int_tuple_66) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_68 = cute.add_offset(%ptr_40, %int_tuple_64) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_69 = cute.add_offset(%ptr_68, %int_tuple_66) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %50 = arith.xori %48, %c1_i32 : i32
              %51 = builtin.unrealized_conversion_cast %ptr_69 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              nvvm.mbarrier.try_wait.parity %51, %50, %c10000000_i32 : !llvm.ptr<3>, i32, i32
              %div_70 = cute.flat_divide(%arg7, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
              %grouped_71 = cute.group_modes(%div_70) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
              %res_smem_tensor_72, %res_target_tensors_73 = cute_nvgpu.atom.tma_partition(%arg6, %coord_48, %lay_47, %slice_45, %grouped_71) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
              %slice_74 = cute.slice(%res_target_tensors_73, %coord_49) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
              %coord_75 = cute.make_coord(%46, %19) : (i32, i32) -> !cute.coord<"(0,0,?,?)">
              %52 = cute.memref.load(%view_33, %coord_75) : (!memref_smem_i32_1, !cute.coord<"(0,0,?,?)">) -> i32
              %53 = arith.cmpi sge, %52, %c0_i32 : i32
              scf.if %53 {
                %coord_156 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,0,?)">
                %slice_157 = cute.slice(%res_smem_tensor_72, %coord_156) : !memref_smem_bf16_10, !cute.coord<"(_,0,?)">
                %iter_158 = cute.get_iter(%slice_157) : !memref_smem_bf16_11
                %coord_159 = cute.make_coord(%52) : (i32) -> !cute.coord<"(_,?)">
                %slice_160 = cute.slice(%slice_74, %coord_159) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
                %iter_161 = cute.get_iter(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %tup_162 = cute.deref_arith_tuple_iter(%iter_161) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %e0_163, %e1_164, %e2_165, %e3_166 = cute.get_leaves(%tup_162) : !cute.int_tuple<"(0,0,0,?{div=2})">
                %lay_167 = cute.get_layout(%slice_157) : !memref_smem_bf16_11
                %lay_168 = cute.get_layout(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %append_169 = cute.append_to_rank<2> (%lay_167, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
                %view_170 = cute.make_view(%iter_158, %append_169) : !memref_smem_bf16_12
                %grouped_171 = cute.group_modes(%view_170) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
                %append_172 = cute.append_to_rank<2> (%lay_168, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
                %int_tuple_173 = cute.make_int_tuple(%e3_166) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
                %int_tup_iter_174 = cute.make_arith_tuple_iter(%int_tuple_173) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %view_175 = cute.make_view(%int_tup_iter_174, %append_172) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
                %grouped_176 = cute.group_modes(%view_175) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
                %87 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
                cute.copy(%87, %grouped_171, %grouped_176) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
              }
              %coord_76 = cute.make_coord(%46, %19) : (i32, i32) -> !cute.coord<"(0,1,?,?)">
              %54 = cute.memref.load(%view_33, %coord_76) : (!memref_smem_i32_1, !cute.coord<"(0,1,?,?)">) -> i32
              %55 = arith.cmpi sge, %54, %c0_i32 : i32
              scf.if %55 {
                %coord_156 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,1,?)">
                %slice_157 = cute.slice(%res_smem_tensor_72, %coord_156) : !memref_smem_bf16_10, !cute.coord<"(_,1,?)">
                %iter_158 = cute.get_iter(%slice_157) : !memref_smem_bf16_11
                %coord_159 = cute.make_coord(%54) : (i32) -> !cute.coord<"(_,?)">
                %slice_160 = cute.slice(%slice_74, %coord_159) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
                %iter_161 = cute.get_iter(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %tup_162 = cute.deref_arith_tuple_iter(%iter_161) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %e0_163, %e1_164, %e2_165, %e3_166 = cute.get_leaves(%tup_162) : !cute.int_tuple<"(0,0,0,?{div=2})">
                %lay_167 = cute.get_layout(%slice_157) : !memref_smem_bf16_11
                %lay_168 = cute.get_layout(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %append_169 = cute.append_to_rank<2> (%lay_167, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
                %view_170 = cute.make_view(%iter_158, %append_169) : !memref_smem_bf16_12
                %grouped_171 = cute.group_modes(%view_170) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
                %append_172 = cute.append_to_rank<2> (%lay_168, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
                %int_tuple_173 = cute.make_int_tuple(%e3_166) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
                %int_tup_iter_174 = cute.make_arith_tuple_iter(%int_tuple_173) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %view_175 = cute.make_view(%int_tup_iter_174, %append_172) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
                %grouped_176 = cute.group_modes(%view_175) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
                %87 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
                cute.copy(%87, %grouped_171, %grouped_176) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
              }
              %coord_77 = cute.make_coord(%46, %19) : (i32, i32) -> !cute.coord<"(0,2,?,?)">
              %56 = cute.memref.load(%view_33, %coord_77) : (!memref_smem_i32_1, !cute.coord<"(0,2,?,?)">) -> i32
              %57 = arith.cmpi sge, %56, %c0_i32 : i32
              scf.if %57 {
                %coord_156 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,2,?)">
                %slice_157 = cute.slice(%res_smem_tensor_72, %coord_156) : !memref_smem_bf16_10, !cute.coord<"(_,2,?)">
                %iter_158 = cute.get_iter(%slice_157) : !memref_smem_bf16_11
                %coord_159 = cute.make_coord(%56) : (i32) -> !cute.coord<"(_,?)">
                %slice_160 = cute.slice(%slice_74, %coord_159) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
                %iter_161 = cute.get_iter(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %tup_162 = cute.deref_arith_tuple_iter(%iter_161) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %e0_163, %e1_164, %e2_165, %e3_166 = cute.get_leaves(%tup_162) : !cute.int_tuple<"(0,0,0,?{div=2})">
                %lay_167 = cute.get_layout(%slice_157) : !memref_smem_bf16_11
                %lay_168 = cute.get_layout(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %append_169 = cute.append_to_rank<2> (%lay_167, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
                %view_170 = cute.make_view(%iter_158, %append_169) : !memref_smem_bf16_12
                %grouped_171 = cute.group_modes(%view_170) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
                %append_172 = cute.append_to_rank<2> (%lay_168, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
                %int_tuple_173 = cute.make_int_tuple(%e3_166) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
                %int_tup_iter_174 = cute.make_arith_tuple_iter(%int_tuple_173) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %view_175 = cute.make_view(%int_tup_iter_174, %append_172) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
                %grouped_176 = cute.group_modes(%view_175) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
                %87 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
                cute.copy(%87, %grouped_171, %grouped_176) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
              }
              %coord_78 = cute.make_coord(%46, %19) : (i32, i32) -> !cute.coord<"(0,3,?,?)">
              %58 = cute.memref.load(%view_33, %coord_78) : (!memref_smem_i32_1, !cute.coord<"(0,3,?,?)">) -> i32
              %59 = arith.cmpi sge, %58, %c0_i32 : i32
              scf.if %59 {
                %coord_156 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,3,?)">
                %slice_157 = cute.slice(%res_smem_tensor_72, %coord_156) : !memref_smem_bf16_10, !cute.coord<"(_,3,?)">
                %iter_158 = cute.get_iter(%slice_157) : !memref_smem_bf16_11
                %coord_159 = cute.make_coord(%58) : (i32) -> !cute.coord<"(_,?)">
                %slice_160 = cute.slice(%slice_74, %coord_159) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
                %iter_161 = cute.get_iter(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %tup_162 = cute.deref_arith_tuple_iter(%iter_161) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %e0_163, %e1_164, %e2_165, %e3_166 = cute.get_leaves(%tup_162) : !cute.int_tuple<"(0,0,0,?{div=2})">
                %lay_167 = cute.get_layout(%slice_157) : !memref_smem_bf16_11
                %lay_168 = cute.get_layout(%slice_160) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
                %append_169 = cute.append_to_rank<2> (%lay_167, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
                %view_170 = cute.make_view(%iter_158, %append_169) : !memref_smem_bf16_12
                %grouped_171 = cute.group_modes(%view_170) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
                %append_172 = cute.append_to_rank<2> (%lay_168, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
                %int_tuple_173 = cute.make_int_tuple(%e3_166) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
                %int_tup_iter_174 = cute.make_arith_tuple_iter(%int_tuple_173) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
                %view_175 = cute.make_view(%int_tup_iter_174, %append_172) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
                %grouped_176 = cute.group_modes(%view_175) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
                %87 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
                cute.copy(%87, %grouped_171, %grouped_176) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
              }
              nvvm.cp.async.bulk.commit.group
              nvvm.cp.async.bulk.wait_group 0 {read}
              nvvm.bar.warp.sync %c-1_i32 : i32
              %60 = arith.muli %31, %c128_i32 : i32
              %61 = arith.subi %45, %60 : i32
              %62 = arith.muli %44, %c4_i32 : i32
              %63 = arith.addi %62, %30 : i32
              %64 = arith.muli %63, %c2_i32 : i32
              %65 = arith.addi %64, %33 : i32
              %66 = arith.cmpi slt, %44, %c0_i32 : i32
              %67 = arith.cmpi slt, %61, %c0_i32 : i32
              %68 = arith.extui %66 : i1 to i32
              %69 = arith.extui %67 : i1 to i32
              %70 = arith.select %66, %68, %69 : i32
              %71 = arith.cmpi ne, %70, %c0_i32 : i32
              %72 = arith.select %71, %c-1_i32, %65 : i32
              %73 = arith.select %71, %c128_i32, %61 : i32
              scf.if %21 {
                %coord_156 = cute.make_coord(%20, %46) : (i32, i32) -> !cute.coord<"(0,?,?)">
                cute.memref.store(%slice, %coord_156, %72) : (!memref_smem_i32_2, !cute.coord<"(0,?,?)">, i32) -> ()
                %coord_157 = cute.make_coord(%20, %46) : (i32, i32) -> !cute.coord<"(1,?,?)">
                cute.memref.store(%slice, %coord_157, %73) : (!memref_smem_i32_2, !cute.coord<"(1,?,?)">, i32) -> ()
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %74 = arith.cmpi eq, %20, %c0_i32 : i32
              scf.if %74 {
                %87 = builtin.unrealized_conversion_cast %ptr_67 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %88 = nvvm.mbarrier.arrive.expect_tx %87, %c16384_i32 : !llvm.ptr<3>, i32 -> i64
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %75 = nvvm.shfl.sync idx %c-1_i32, %72, %c0_i32, %c31_i32 : i32 -> i32
              %76 = arith.shrsi %75, %c1_i32 : i32
              %coord_79 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,0,?)">
              %slice_80 = cute.slice(%res_smem_tensor, %coord_79) : !memref_smem_bf16_10, !cute.coord<"(_,0,?)">
              %iter_81 = cute.get_iter(%slice_80) : !memref_smem_bf16_11
              %coord_82 = cute.make_coord(%76) : (i32) -> !cute.coord<"(_,?)">
              %slice_83 = cute.slice(%slice_50, %coord_82) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_84 = cute.get_iter(%slice_83) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_84) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_85 = cute.get_layout(%slice_83) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_86 = cute.get_layout(%slice_80) : !memref_smem_bf16_11
              %append = cute.append_to_rank<2> (%lay_85, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_87 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_87) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_88 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_89 = cute.group_modes(%view_88) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_90 = cute.append_to_rank<2> (%lay_86, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_91 = cute.make_view(%iter_81, %append_90) : !memref_smem_bf16_12
              %grouped_92 = cute.group_modes(%view_91) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %77 = cute_nvgpu.atom.make_exec_tma(%arg0) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              %78 = cute_nvgpu.atom.set_value<tma_bar>(%77, %ptr_67) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.ptr<i64, smem>)
              cute.copy(%78, %grouped_89, %grouped_92) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %79 = nvvm.shfl.sync idx %c-1_i32, %72, %c1_i32, %c31_i32 : i32 -> i32
              %80 = arith.shrsi %79, %c1_i32 : i32
              %coord_93 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,1,?)">
              %slice_94 = cute.slice(%res_smem_tensor, %coord_93) : !memref_smem_bf16_10, !cute.coord<"(_,1,?)">
              %iter_95 = cute.get_iter(%slice_94) : !memref_smem_bf16_11
              %coord_96 = cute.make_coord(%80) : (i32) -> !cute.coord<"(_,?)">
              %slice_97 = cute.slice(%slice_50, %coord_96) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_98 = cute.get_iter(%slice_97) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_99 = cute.deref_arith_tuple_iter(%iter_98) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_100, %e1_101, %e2_102, %e3_103 = cute.get_leaves(%tup_99) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_104 = cute.get_layout(%slice_97) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_105 = cute.get_layout(%slice_94) : !memref_smem_bf16_11
              %append_106 = cute.append_to_rank<2> (%lay_104, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_107 = cute.make_int_tuple(%e3_103) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_108 = cute.make_arith_tuple_iter(%int_tuple_107) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_109 = cute.make_view(%int_tup_iter_108, %append_106) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_110 = cute.group_modes(%view_109) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_111 = cute.append_to_rank<2> (%lay_105, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_112 = cute.make_view(%iter_95, %append_111) : !memref_smem_bf16_12
              %grouped_113 = cute.group_modes(%view_112) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%78, %grouped_110, %grouped_113) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %81 = nvvm.shfl.sync idx %c-1_i32, %72, %c2_i32, %c31_i32 : i32 -> i32
              %82 = arith.shrsi %81, %c1_i32 : i32
              %coord_114 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,2,?)">
              %slice_115 = cute.slice(%res_smem_tensor, %coord_114) : !memref_smem_bf16_10, !cute.coord<"(_,2,?)">
              %iter_116 = cute.get_iter(%slice_115) : !memref_smem_bf16_11
              %coord_117 = cute.make_coord(%82) : (i32) -> !cute.coord<"(_,?)">
              %slice_118 = cute.slice(%slice_50, %coord_117) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_119 = cute.get_iter(%slice_118) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_120 = cute.deref_arith_tuple_iter(%iter_119) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_121, %e1_122, %e2_123, %e3_124 = cute.get_leaves(%tup_120) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_125 = cute.get_layout(%slice_118) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_126 = cute.get_layout(%slice_115) : !memref_smem_bf16_11
              %append_127 = cute.append_to_rank<2> (%lay_125, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_128 = cute.make_int_tuple(%e3_124) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_129 = cute.make_arith_tuple_iter(%int_tuple_128) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_130 = cute.make_view(%int_tup_iter_129, %append_127) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_131 = cute.group_modes(%view_130) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_132 = cute.append_to_rank<2> (%lay_126, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_133 = cute.make_view(%iter_116, %append_132) : !memref_smem_bf16_12
              %grouped_134 = cute.group_modes(%view_133) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%78, %grouped_131, %grouped_134) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %83 = nvvm.shfl.sync idx %c-1_i32, %72, %c3_i32, %c31_i32 : i32 -> i32
              %84 = arith.shrsi %83, %c1_i32 : i32
              %coord_135 = cute.make_coord(%46) : (i32) -> !cute.coord<"(_,3,?)">
              %slice_136 = cute.slice(%res_smem_tensor, %coord_135) : !memref_smem_bf16_10, !cute.coord<"(_,3,?)">
              %iter_137 = cute.get_iter(%slice_136) : !memref_smem_bf16_11
              %coord_138 = cute.make_coord(%84) : (i32) -> !cute.coord<"(_,?)">
              %slice_139 = cute.slice(%slice_50, %coord_138) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_140 = cute.get_iter(%slice_139) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_141 = cute.deref_arith_tuple_iter(%iter_140) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_142, %e1_143, %e2_144, %e3_145 = cute.get_leaves(%tup_141) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_146 = cute.get_layout(%slice_139) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_147 = cute.get_layout(%slice_136) : !memref_smem_bf16_11
              %append_148 = cute.append_to_rank<2> (%lay_146, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_149 = cute.make_int_tuple(%e3_145) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_150 = cute.make_arith_tuple_iter(%int_tuple_149) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_151 = cute.make_view(%int_tup_iter_150, %append_148) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_152 = cute.group_modes(%view_151) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_153 = cute.append_to_rank<2> (%lay_147, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_154 = cute.make_view(%iter_137, %append_153) : !memref_smem_bf16_12
              %grouped_155 = cute.group_modes(%view_154) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%78, %grouped_152, %grouped_155) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %85 = arith.addi %arg22, %c1_i32 : i32
              %86 = arith.addi %arg23, %c3_i32 : i32
              scf.yield %85, %86 : i32, i32
            }
            %35 = arith.subi %34#1, %29 : i32
            nvvm.bar.warp.sync %c-1_i32 : i32
            %36 = arith.cmpi eq, %20, %c0_i32 : i32
            scf.if %36 {
              %ptr_57 = cute.add_offset(%ptr, %int_tuple_51) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %38 = builtin.unrealized_conversion_cast %ptr_57 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %39 = nvvm.mbarrier.arrive %38, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %37 = arith.addi %arg21, %c1_i32 : i32
            scf.yield %29, %34#0, %35, %37 : i32, i32, i32, i32
          }
          %23 = scf.for %arg19 = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%arg20 = %22#0) -> (i32)  : i32 {
            %24 = arith.andi %arg20, %c1_i32 : i32
            %25 = arith.shrsi %arg20, %c1_i32 : i32
            %26 = arith.andi %25, %c1_i32 : i32
            %27 = arith.muli %19, %c2_i32 : i32
            %int_tuple_51 = cute.make_int_tuple(%27) : (i32) -> !cute.int_tuple<"?">
            %ptr_52 = cute.add_offset(%ptr_40, %int_tuple_51) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_53 = cute.make_int_tuple(%24) : (i32) -> !cute.int_tuple<"?">
            %ptr_54 = cute.add_offset(%ptr_52, %int_tuple_53) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %28 = arith.xori %26, %c1_i32 : i32
            %29 = builtin.unrealized_conversion_cast %ptr_54 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %29, %28, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %div_55 = cute.flat_divide(%arg7, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
            %grouped_56 = cute.group_modes(%div_55) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
            %res_smem_tensor_57, %res_target_tensors_58 = cute_nvgpu.atom.tma_partition(%arg6, %coord_48, %lay_47, %slice_45, %grouped_56) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
            %slice_59 = cute.slice(%res_target_tensors_58, %coord_49) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
            %coord_60 = cute.make_coord(%24, %19) : (i32, i32) -> !cute.coord<"(0,0,?,?)">
            %30 = cute.memref.load(%view_33, %coord_60) : (!memref_smem_i32_1, !cute.coord<"(0,0,?,?)">) -> i32
            %31 = arith.cmpi sge, %30, %c0_i32 : i32
            scf.if %31 {
              %coord_64 = cute.make_coord(%24) : (i32) -> !cute.coord<"(_,0,?)">
              %slice_65 = cute.slice(%res_smem_tensor_57, %coord_64) : !memref_smem_bf16_10, !cute.coord<"(_,0,?)">
              %iter_66 = cute.get_iter(%slice_65) : !memref_smem_bf16_11
              %coord_67 = cute.make_coord(%30) : (i32) -> !cute.coord<"(_,?)">
              %slice_68 = cute.slice(%slice_59, %coord_67) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_69 = cute.get_iter(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_69) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_70 = cute.get_layout(%slice_65) : !memref_smem_bf16_11
              %lay_71 = cute.get_layout(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %append = cute.append_to_rank<2> (%lay_70, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_72 = cute.make_view(%iter_66, %append) : !memref_smem_bf16_12
              %grouped_73 = cute.group_modes(%view_72) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %append_74 = cute.append_to_rank<2> (%lay_71, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_75 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_75) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_76 = cute.make_view(%int_tup_iter, %append_74) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_77 = cute.group_modes(%view_76) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %39 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              cute.copy(%39, %grouped_73, %grouped_77) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
            }
            %coord_61 = cute.make_coord(%24, %19) : (i32, i32) -> !cute.coord<"(0,1,?,?)">
            %32 = cute.memref.load(%view_33, %coord_61) : (!memref_smem_i32_1, !cute.coord<"(0,1,?,?)">) -> i32
            %33 = arith.cmpi sge, %32, %c0_i32 : i32
            scf.if %33 {
              %coord_64 = cute.make_coord(%24) : (i32) -> !cute.coord<"(_,1,?)">
              %slice_65 = cute.slice(%res_smem_tensor_57, %coord_64) : !memref_smem_bf16_10, !cute.coord<"(_,1,?)">
              %iter_66 = cute.get_iter(%slice_65) : !memref_smem_bf16_11
              %coord_67 = cute.make_coord(%32) : (i32) -> !cute.coord<"(_,?)">
              %slice_68 = cute.slice(%slice_59, %coord_67) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_69 = cute.get_iter(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_69) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_70 = cute.get_layout(%slice_65) : !memref_smem_bf16_11
              %lay_71 = cute.get_layout(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %append = cute.append_to_rank<2> (%lay_70, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_72 = cute.make_view(%iter_66, %append) : !memref_smem_bf16_12
              %grouped_73 = cute.group_modes(%view_72) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %append_74 = cute.append_to_rank<2> (%lay_71, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_75 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_75) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_76 = cute.make_view(%int_tup_iter, %append_74) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_77 = cute.group_modes(%view_76) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %39 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              cute.copy(%39, %grouped_73, %grouped_77) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
            }
            %coord_62 = cute.make_coord(%24, %19) : (i32, i32) -> !cute.coord<"(0,2,?,?)">
            %34 = cute.memref.load(%view_33, %coord_62) : (!memref_smem_i32_1, !cute.coord<"(0,2,?,?)">) -> i32
            %35 = arith.cmpi sge, %34, %c0_i32 : i32
            scf.if %35 {
              %coord_64 = cute.make_coord(%24) : (i32) -> !cute.coord<"(_,2,?)">
              %slice_65 = cute.slice(%res_smem_tensor_57, %coord_64) : !memref_smem_bf16_10, !cute.coord<"(_,2,?)">
              %iter_66 = cute.get_iter(%slice_65) : !memref_smem_bf16_11
              %coord_67 = cute.make_coord(%34) : (i32) -> !cute.coord<"(_,?)">
              %slice_68 = cute.slice(%slice_59, %coord_67) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_69 = cute.get_iter(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_69) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_70 = cute.get_layout(%slice_65) : !memref_smem_bf16_11
              %lay_71 = cute.get_layout(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %append = cute.append_to_rank<2> (%lay_70, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_72 = cute.make_view(%iter_66, %append) : !memref_smem_bf16_12
              %grouped_73 = cute.group_modes(%view_72) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %append_74 = cute.append_to_rank<2> (%lay_71, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_75 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_75) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_76 = cute.make_view(%int_tup_iter, %append_74) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_77 = cute.group_modes(%view_76) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %39 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              cute.copy(%39, %grouped_73, %grouped_77) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
            }
            %coord_63 = cute.make_coord(%24, %19) : (i32, i32) -> !cute.coord<"(0,3,?,?)">
            %36 = cute.memref.load(%view_33, %coord_63) : (!memref_smem_i32_1, !cute.coord<"(0,3,?,?)">) -> i32
            %37 = arith.cmpi sge, %36, %c0_i32 : i32
            scf.if %37 {
              %coord_64 = cute.make_coord(%24) : (i32) -> !cute.coord<"(_,3,?)">
              %slice_65 = cute.slice(%res_smem_tensor_57, %coord_64) : !memref_smem_bf16_10, !cute.coord<"(_,3,?)">
              %iter_66 = cute.get_iter(%slice_65) : !memref_smem_bf16_11
              %coord_67 = cute.make_coord(%36) : (i32) -> !cute.coord<"(_,?)">
              %slice_68 = cute.slice(%slice_59, %coord_67) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_69 = cute.get_iter(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_69) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_70 = cute.get_layout(%slice_65) : !memref_smem_bf16_11
              %lay_71 = cute.get_layout(%slice_68) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %append = cute.append_to_rank<2> (%lay_70, %lay_47) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_72 = cute.make_view(%iter_66, %append) : !memref_smem_bf16_12
              %grouped_73 = cute.group_modes(%view_72) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %append_74 = cute.append_to_rank<2> (%lay_71, %lay_47) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_75 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_75) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_76 = cute.make_view(%int_tup_iter, %append_74) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_77 = cute.group_modes(%view_76) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %39 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              cute.copy(%39, %grouped_73, %grouped_77) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
            }
            nvvm.cp.async.bulk.commit.group
            nvvm.cp.async.bulk.wait_group 0 {read}
            nvvm.bar.warp.sync %c-1_i32 : i32
            %38 = arith.addi %arg20, %c1_i32 : i32
            scf.yield %38 : i32
          } {loop_annotation = #loop_annotation}
          nvvm.cp.async.bulk.wait_group 0
        }
      } else {
        nvvm.setmaxregister increase 160
        %18 = arith.floordivsi %16, %c4_i32 : i32
        %19 = arith.subi %18, %c1_i32 : i32
        %20 = nvvm.read.ptx.sreg.laneid : i32
        %21:3 = scf.while (%arg19 = %c1_i32, %arg20 = %c0_i32, %arg21 = %19, %arg22 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
          %22 = arith.cmpi sgt, %arg19, %c0_i32 : i32
          scf.condition(%22) %arg20, %arg21, %arg22 : i32, i32, i32
        } do {
        ^bb0(%arg19: i32, %arg20: i32, %arg21: i32):
          %22 = arith.andi %arg21, %c1_i32 : i32
          %23 = arith.shrsi %arg21, %c1_i32 : i32
          %24 = arith.andi %23, %c1_i32 : i32
          %int_tuple_41 = cute.make_int_tuple(%22) : (i32) -> !cute.int_tuple<"?">
          %ptr_42 = cute.add_offset(%iter_2, %int_tuple_41) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
          %25 = builtin.unrealized_conversion_cast %ptr_42 : !cute.ptr<i64, smem> to !llvm.ptr<3>
          nvvm.mbarrier.try_wait.parity %25, %24, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          %coord = cute.make_coord(%22) : (i32) -> !cute.coord<"(1,?)">
          %26 = cute.memref.load(%view_27, %coord) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
          %27 = arith.cmpi slt, %arg20, %26 : i32
          scf.if %27 {
            %ptr_43 = cute.add_offset(%ptr_36, %int_tuple_41) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %32 = builtin.unrealized_conversion_cast %ptr_43 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %32, %24, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          }
          %28:2 = scf.while (%arg22 = %arg19, %arg23 = %arg20) : (i32, i32) -> (i32, i32) {
            %32 = arith.cmpi slt, %arg23, %26 : i32
            scf.condition(%32) %arg22, %arg23 : i32, i32
          } do {
          ^bb0(%arg22: i32, %arg23: i32):
            %32 = arith.andi %arg22, %c1_i32 : i32
            %33 = arith.shrsi %arg22, %c1_i32 : i32
            %34 = arith.andi %33, %c1_i32 : i32
            %35 = arith.muli %19, %c2_i32 : i32
            %int_tuple_43 = cute.make_int_tuple(%35) : (i32) -> !cute.int_tuple<"?">
            %ptr_44 = cute.add_offset(%ptr_38, %int_tuple_43) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_45 = cute.make_int_tuple(%32) : (i32) -> !cute.int_tuple<"?">
            %ptr_46 = cute.add_offset(%ptr_44, %int_tuple_45) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %36 = builtin.unrealized_conversion_cast %ptr_46 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %36, %34, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %37 = arith.remsi %16, %c4_i32 : i32
            %ptr_47 = cute.add_offset(%ptr_40, %int_tuple_43) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_48 = cute.add_offset(%ptr_47, %int_tuple_45) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %coord_49 = cute.make_coord(%37, %32, %19) : (i32, i32, i32) -> !cute.coord<"(0,?,?,?)">
            %38 = cute.memref.load(%view_33, %coord_49) : (!memref_smem_i32_1, !cute.coord<"(0,?,?,?)">) -> i32
            %coord_50 = cute.make_coord(%37, %32, %19) : (i32, i32, i32) -> !cute.coord<"(1,?,?,?)">
            %39 = cute.memref.load(%view_33, %coord_50) : (!memref_smem_i32_1, !cute.coord<"(1,?,?,?)">) -> i32
            %40 = arith.shrsi %38, %c1_i32 : i32
            %41 = arith.extsi %40 : i32 to i64
            %42 = arith.muli %41, %c16_i64 : i64
            %43 = arith.floordivsi %20, %c4_i32 : i32
            %44 = arith.extsi %43 : i32 to i64
            %45 = arith.addi %42, %44 : i64
            %atom = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>
            %46 = cute.make_tiled_mma(%atom) : !mma_bf16_bf16_f32_64x128x16
            %shape_51 = cute.make_shape() : () -> !cute.shape<"((8,8),(64,2),2,3)">
            %stride_52 = cute.make_stride() : () -> !cute.stride<"((64,1024),(1,512),8192,16384)">
            %lay_53 = cute.make_layout(%shape_51, %stride_52) : !cute.layout<"((8,8),(64,2),2,3):((64,1024),(1,512),8192,16384)">
            %view_54 = cute.make_view(%iter_21, %lay_53) : !memref_smem_bf16_14
            %coord_55 = cute.make_coord(%19) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice = cute.slice(%view_54, %coord_55) : !memref_smem_bf16_14, !cute.coord<"(_,_,_,?)">
            %coord_56 = cute.make_coord() : () -> !cute.coord<"0">
            %ptn_A = cute.tiled.mma.partition A (%46, %slice, %coord_56) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_15, !cute.coord<"0">) -> !memref_smem_bf16_16
            %frg_A = cute.mma.make_fragment A (%46, %ptn_A) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_16) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">
            %ptn_B = cute.tiled.mma.partition B (%46, %view, %coord_56) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16, !cute.coord<"0">) -> !memref_smem_bf16_17
            %frg_B = cute.mma.make_fragment B (%46, %ptn_B) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_17) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">
            %coord_57 = cute.make_coord(%32) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_58 = cute.slice(%frg_A, %coord_57) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">, !cute.coord<"(_,_,_,?)">
            %coord_59 = cute.make_coord(%22) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_60 = cute.slice(%frg_B, %coord_59) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">, !cute.coord<"(_,_,_,?)">
            %rmem = cute.memref.alloca() : !memref_rmem_f32
            %iter_61 = cute.get_iter(%rmem) : !memref_rmem_f32
            nvvm.wgmma.fence.aligned
            %47 = cute_nvgpu.atom.set_value<accum_c>(%atom, %false) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_62 = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
            %slice_63 = cute.slice(%slice_58, %coord_62) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,0)">
            %slice_64 = cute.slice(%slice_60, %coord_62) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,0)">
            cute.gemm(%47, %rmem, %slice_63, %slice_64, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %48 = cute_nvgpu.atom.set_value<accum_c>(%47, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_65 = cute.make_coord() : () -> !cute.coord<"(_,_,1)">
            %slice_66 = cute.slice(%slice_58, %coord_65) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,1)">
            %slice_67 = cute.slice(%slice_60, %coord_65) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,1)">
            cute.gemm(%48, %rmem, %slice_66, %slice_67, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %49 = cute_nvgpu.atom.set_value<accum_c>(%48, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_68 = cute.make_coord() : () -> !cute.coord<"(_,_,2)">
            %slice_69 = cute.slice(%slice_58, %coord_68) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,2)">
            %slice_70 = cute.slice(%slice_60, %coord_68) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,2)">
            cute.gemm(%49, %rmem, %slice_69, %slice_70, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %50 = cute_nvgpu.atom.set_value<accum_c>(%49, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_71 = cute.make_coord() : () -> !cute.coord<"(_,_,3)">
            %slice_72 = cute.slice(%slice_58, %coord_71) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,3)">
            %slice_73 = cute.slice(%slice_60, %coord_71) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,3)">
            cute.gemm(%50, %rmem, %slice_72, %slice_73, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %51 = cute_nvgpu.atom.set_value<accum_c>(%50, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_74 = cute.make_coord() : () -> !cute.coord<"(_,_,4)">
            %slice_75 = cute.slice(%slice_58, %coord_74) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,4)">
            %slice_76 = cute.slice(%slice_60, %coord_74) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,4)">
            cute.gemm(%51, %rmem, %slice_75, %slice_76, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %52 = cute_nvgpu.atom.set_value<accum_c>(%51, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_77 = cute.make_coord() : () -> !cute.coord<"(_,_,5)">
            %slice_78 = cute.slice(%slice_58, %coord_77) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,5)">
            %slice_79 = cute.slice(%slice_60, %coord_77) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,5)">
            cute.gemm(%52, %rmem, %slice_78, %slice_79, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %53 = cute_nvgpu.atom.set_value<accum_c>(%52, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_80 = cute.make_coord() : () -> !cute.coord<"(_,_,6)">
            %slice_81 = cute.slice(%slice_58, %coord_80) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,6)">
            %slice_82 = cute.slice(%slice_60, %coord_80) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,6)">
            cute.gemm(%53, %rmem, %slice_81, %slice_82, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %54 = cute_nvgpu.atom.set_value<accum_c>(%53, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_83 = cute.make_coord() : () -> !cute.coord<"(_,_,7)">
            %slice_84 = cute.slice(%slice_58, %coord_83) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,7)">
            %slice_85 = cute.slice(%slice_60, %coord_83) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,7)">
            cute.gemm(%54, %rmem, %slice_84, %slice_85, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            nvvm.wgmma.commit.group.sync.aligned
            nvvm.wgmma.wait.group.sync.aligned 0
            %55 = arith.cmpi slt, %39, %c127_i32 : i32
            scf.if %55 {
              %475 = arith.remsi %20, %c4_i32 : i32
              %476 = arith.muli %475, %c2_i32 : i32
              %477 = arith.subi %39, %476 : i32
              %478 = arith.cmpi slt, %477, %c0_i32 : i32
              %479 = cute.memref.load(%rmem, %coord_56) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
              %480 = arith.select %478, %cst_1, %479 : f32
              cute.memref.store(%rmem, %coord_56, %480) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
              %481 = arith.cmpi slt, %477, %c1_i32 : i32
              %coord_194 = cute.make_coord() : () -> !cute.coord<"1">
              %482 = cute.memref.load(%rmem, %coord_194) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
              %483 = arith.select %481, %cst_1, %482 : f32
              cute.memref.store(%rmem, %coord_194, %483) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
              %coord_195 = cute.make_coord() : () -> !cute.coord<"2">
              %484 = cute.memref.load(%rmem, %coord_195) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
              %485 = arith.select %478, %cst_1, %484 : f32
              cute.memref.store(%rmem, %coord_195, %485) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
              %coord_196 = cute.make_coord() : () -> !cute.coord<"3">
              %486 = cute.memref.load(%rmem, %coord_196) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
              %487 = arith.select %481, %cst_1, %486 : f32
              cute.memref.store(%rmem, %coord_196, %487) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
              %488 = arith.cmpi slt, %477, %c8_i32 : i32
              %coord_197 = cute.make_coord() : () -> !cute.coord<"4">
              %489 = cute.memref.load(%rmem, %coord_197) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
              %490 = arith.select %488, %cst_1, %489 : f32
              cute.memref.store(%rmem, %coord_197, %490) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
              %491 = arith.cmpi slt, %477, %c9_i32 : i32
              %coord_198 = cute.make_coord() : () -> !cute.coord<"5">
              %492 = cute.memref.load(%rmem, %coord_198) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
              %493 = arith.select %491, %cst_1, %492 : f32
              cute.memref.store(%rmem, %coord_198, %493) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
              %coord_199 = cute.make_coord() : () -> !cute.coord<"6">
              %494 = cute.memref.load(%rmem, %coord_199) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
              %495 = arith.select %488, %cst_1, %494 : f32
              cute.memref.store(%rmem, %coord_199, %495) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
              %coord_200 = cute.make_coord() : () -> !cute.coord<"7">
              %496 = cute.memref.load(%rmem, %coord_200) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
              %497 = arith.select %491, %cst_1, %496 : f32
              cute.memref.store(%rmem, %coord_200, %497) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
              %498 = arith.cmpi slt, %477, %c16_i32 : i32
              %coord_201 = cute.make_coord() : () -> !cute.coord<"8">
              %499 = cute.memref.load(%rmem, %coord_201) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
              %500 = arith.select %498, %cst_1, %499 : f32
              cute.memref.store(%rmem, %coord_201, %500) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
              %501 = arith.cmpi slt, %477, %c17_i32 : i32
              %coord_202 = cute.make_coord() : () -> !cute.coord<"9">
              %502 = cute.memref.load(%rmem, %coord_202) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
              %503 = arith.select %501, %cst_1, %502 : f32
              cute.memref.store(%rmem, %coord_202, %503) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
              %coord_203 = cute.make_coord() : () -> !cute.coord<"10">
              %504 = cute.memref.load(%rmem, %coord_203) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
              %505 = arith.select %498, %cst_1, %504 : f32
              cute.memref.store(%rmem, %coord_203, %505) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
              %coord_204 = cute.make_coord() : () -> !cute.coord<"11">
              %506 = cute.memref.load(%rmem, %coord_204) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
              %507 = arith.select %501, %cst_1, %506 : f32
              cute.memref.store(%rmem, %coord_204, %507) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
              %508 = arith.cmpi slt, %477, %c24_i32 : i32
              %coord_205 = cute.make_coord() : () -> !cute.coord<"12">
              %509 = cute.memref.load(%rmem, %coord_205) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
              %510 = arith.select %508, %cst_1, %509 : f32
              cute.memref.store(%rmem, %coord_205, %510) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
              %511 = arith.cmpi slt, %477, %c25_i32 : i32
              %coord_206 = cute.make_coord() : () -> !cute.coord<"13">
              %512 = cute.memref.load(%rmem, %coord_206) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
              %513 = arith.select %511, %cst_1, %512 : f32
              cute.memref.store(%rmem, %coord_206, %513) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
              %coord_207 = cute.make_coord() : () -> !cute.coord<"14">
              %514 = cute.memref.load(%rmem, %coord_207) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
              %515 = arith.select %508, %cst_1, %514 : f32
              cute.memref.store(%rmem, %coord_207, %515) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
              %coord_208 = cute.make_coord() : () -> !cute.coord<"15">
              %516 = cute.memref.load(%rmem, %coord_208) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
              %517 = arith.select %511, %cst_1, %516 : f32
              cute.memref.store(%rmem, %coord_208, %517) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
              %518 = arith.cmpi slt, %477, %c32_i32 : i32
              %coord_209 = cute.make_coord() : () -> !cute.coord<"16">
              %519 = cute.memref.load(%rmem, %coord_209) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
              %520 = arith.select %518, %cst_1, %519 : f32
              cute.memref.store(%rmem, %coord_209, %520) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
              %521 = arith.cmpi slt, %477, %c33_i32 : i32
              %coord_210 = cute.make_coord() : () -> !cute.coord<"17">
              %522 = cute.memref.load(%rmem, %coord_210) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
              %523 = arith.select %521, %cst_1, %522 : f32
              cute.memref.store(%rmem, %coord_210, %523) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
              %coord_211 = cute.make_coord() : () -> !cute.coord<"18">
              %524 = cute.memref.load(%rmem, %coord_211) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
              %525 = arith.select %518, %cst_1, %524 : f32
              cute.memref.store(%rmem, %coord_211, %525) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
              %coord_212 = cute.make_coord() : () -> !cute.coord<"19">
              %526 = cute.memref.load(%rmem, %coord_212) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
              %527 = arith.select %521, %cst_1, %526 : f32
              cute.memref.store(%rmem, %coord_212, %527) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
              %528 = arith.cmpi slt, %477, %c40_i32 : i32
              %coord_213 = cute.make_coord() : () -> !cute.coord<"20">
              %529 = cute.memref.load(%rmem, %coord_213) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
              %530 = arith.select %528, %cst_1, %529 : f32
              cute.memref.store(%rmem, %coord_213, %530) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
              %531 = arith.cmpi slt, %477, %c41_i32 : i32
              %coord_214 = cute.make_coord() : () -> !cute.coord<"21">
              %532 = cute.memref.load(%rmem, %coord_214) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
              %533 = arith.select %531, %cst_1, %532 : f32
              cute.memref.store(%rmem, %coord_214, %533) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
              %coord_215 = cute.make_coord() : () -> !cute.coord<"22">
              %534 = cute.memref.load(%rmem, %coord_215) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
              %535 = arith.select %528, %cst_1, %534 : f32
              cute.memref.store(%rmem, %coord_215, %535) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
              %coord_216 = cute.make_coord() : () -> !cute.coord<"23">
              %536 = cute.memref.load(%rmem, %coord_216) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
              %537 = arith.select %531, %cst_1, %536 : f32
              cute.memref.store(%rmem, %coord_216, %537) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
              %538 = arith.cmpi slt, %477, %c48_i32 : i32
              %coord_217 = cute.make_coord() : () -> !cute.coord<"24">
              %539 = cute.memref.load(%rmem, %coord_217) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
              %540 = arith.select %538, %cst_1, %539 : f32
              cute.memref.store(%rmem, %coord_217, %540) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
              %541 = arith.cmpi slt, %477, %c49_i32 : i32
              %coord_218 = cute.make_coord() : () -> !cute.coord<"25">
              %542 = cute.memref.load(%rmem, %coord_218) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
              %543 = arith.select %541, %cst_1, %542 : f32
              cute.memref.store(%rmem, %coord_218, %543) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
              %coord_219 = cute.make_coord() : () -> !cute.coord<"26">
              %544 = cute.memref.load(%rmem, %coord_219) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
              %545 = arith.select %538, %cst_1, %544 : f32
              cute.memref.store(%rmem, %coord_219, %545) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
              %coord_220 = cute.make_coord() : () -> !cute.coord<"27">
              %546 = cute.memref.load(%rmem, %coord_220) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
              %547 = arith.select %541, %cst_1, %546 : f32
              cute.memref.store(%rmem, %coord_220, %547) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
              %548 = arith.cmpi slt, %477, %c56_i32 : i32
              %coord_221 = cute.make_coord() : () -> !cute.coord<"28">
              %549 = cute.memref.load(%rmem, %coord_221) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
              %550 = arith.select %548, %cst_1, %549 : f32
              cute.memref.store(%rmem, %coord_221, %550) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
              %551 = arith.cmpi slt, %477, %c57_i32 : i32
              %coord_222 = cute.make_coord() : () -> !cute.coord<"29">
              %552 = cute.memref.load(%rmem, %coord_222) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
              %553 = arith.select %551, %cst_1, %552 : f32
              cute.memref.store(%rmem, %coord_222, %553) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
              %coord_223 = cute.make_coord() : () -> !cute.coord<"30">
              %554 = cute.memref.load(%rmem, %coord_223) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
              %555 = arith.select %548, %cst_1, %554 : f32
              cute.memref.store(%rmem, %coord_223, %555) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
              %coord_224 = cute.make_coord() : () -> !cute.coord<"31">
              %556 = cute.memref.load(%rmem, %coord_224) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
              %557 = arith.select %551, %cst_1, %556 : f32
              cute.memref.store(%rmem, %coord_224, %557) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
              %558 = arith.cmpi slt, %477, %c64_i32 : i32
              %coord_225 = cute.make_coord() : () -> !cute.coord<"32">
              %559 = cute.memref.load(%rmem, %coord_225) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
              %560 = arith.select %558, %cst_1, %559 : f32
              cute.memref.store(%rmem, %coord_225, %560) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
              %561 = arith.cmpi slt, %477, %c65_i32 : i32
              %coord_226 = cute.make_coord() : () -> !cute.coord<"33">
              %562 = cute.memref.load(%rmem, %coord_226) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
              %563 = arith.select %561, %cst_1, %562 : f32
              cute.memref.store(%rmem, %coord_226, %563) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
              %coord_227 = cute.make_coord() : () -> !cute.coord<"34">
              %564 = cute.memref.load(%rmem, %coord_227) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
              %565 = arith.select %558, %cst_1, %564 : f32
              cute.memref.store(%rmem, %coord_227, %565) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
              %coord_228 = cute.make_coord() : () -> !cute.coord<"35">
              %566 = cute.memref.load(%rmem, %coord_228) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
              %567 = arith.select %561, %cst_1, %566 : f32
              cute.memref.store(%rmem, %coord_228, %567) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
              %568 = arith.cmpi slt, %477, %c72_i32 : i32
              %coord_229 = cute.make_coord() : () -> !cute.coord<"36">
              %569 = cute.memref.load(%rmem, %coord_229) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
              %570 = arith.select %568, %cst_1, %569 : f32
              cute.memref.store(%rmem, %coord_229, %570) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
              %571 = arith.cmpi slt, %477, %c73_i32 : i32
              %coord_230 = cute.make_coord() : () -> !cute.coord<"37">
              %572 = cute.memref.load(%rmem, %coord_230) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
              %573 = arith.select %571, %cst_1, %572 : f32
              cute.memref.store(%rmem, %coord_230, %573) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
              %coord_231 = cute.make_coord() : () -> !cute.coord<"38">
              %574 = cute.memref.load(%rmem, %coord_231) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
              %575 = arith.select %568, %cst_1, %574 : f32
              cute.memref.store(%rmem, %coord_231, %575) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
              %coord_232 = cute.make_coord() : () -> !cute.coord<"39">
              %576 = cute.memref.load(%rmem, %coord_232) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
              %577 = arith.select %571, %cst_1, %576 : f32
              cute.memref.store(%rmem, %coord_232, %577) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
              %578 = arith.cmpi slt, %477, %c80_i32 : i32
              %coord_233 = cute.make_coord() : () -> !cute.coord<"40">
              %579 = cute.memref.load(%rmem, %coord_233) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
              %580 = arith.select %578, %cst_1, %579 : f32
              cute.memref.store(%rmem, %coord_233, %580) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
              %581 = arith.cmpi slt, %477, %c81_i32 : i32
              %coord_234 = cute.make_coord() : () -> !cute.coord<"41">
              %582 = cute.memref.load(%rmem, %coord_234) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
              %583 = arith.select %581, %cst_1, %582 : f32
              cute.memref.store(%rmem, %coord_234, %583) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
              %coord_235 = cute.make_coord() : () -> !cute.coord<"42">
              %584 = cute.memref.load(%rmem, %coord_235) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
              %585 = arith.select %578, %cst_1, %584 : f32
              cute.memref.store(%rmem, %coord_235, %585) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
              %coord_236 = cute.make_coord() : () -> !cute.coord<"43">
              %586 = cute.memref.load(%rmem, %coord_236) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
              %587 = arith.select %581, %cst_1, %586 : f32
              cute.memref.store(%rmem, %coord_236, %587) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
              %588 = arith.cmpi slt, %477, %c88_i32 : i32
              %coord_237 = cute.make_coord() : () -> !cute.coord<"44">
              %589 = cute.memref.load(%rmem, %coord_237) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
              %590 = arith.select %588, %cst_1, %589 : f32
              cute.memref.store(%rmem, %coord_237, %590) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
              %591 = arith.cmpi slt, %477, %c89_i32 : i32
              %coord_238 = cute.make_coord() : () -> !cute.coord<"45">
              %592 = cute.memref.load(%rmem, %coord_238) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
              %593 = arith.select %591, %cst_1, %592 : f32
              cute.memref.store(%rmem, %coord_238, %593) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
              %coord_239 = cute.make_coord() : () -> !cute.coord<"46">
              %594 = cute.memref.load(%rmem, %coord_239) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
              %595 = arith.select %588, %cst_1, %594 : f32
              cute.memref.store(%rmem, %coord_239, %595) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
              %coord_240 = cute.make_coord() : () -> !cute.coord<"47">
              %596 = cute.memref.load(%rmem, %coord_240) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
              %597 = arith.select %591, %cst_1, %596 : f32
              cute.memref.store(%rmem, %coord_240, %597) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
              %598 = arith.cmpi slt, %477, %c96_i32 : i32
              %coord_241 = cute.make_coord() : () -> !cute.coord<"48">
              %599 = cute.memref.load(%rmem, %coord_241) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
              %600 = arith.select %598, %cst_1, %599 : f32
              cute.memref.store(%rmem, %coord_241, %600) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
              %601 = arith.cmpi slt, %477, %c97_i32 : i32
              %coord_242 = cute.make_coord() : () -> !cute.coord<"49">
              %602 = cute.memref.load(%rmem, %coord_242) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
              %603 = arith.select %601, %cst_1, %602 : f32
              cute.memref.store(%rmem, %coord_242, %603) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
              %coord_243 = cute.make_coord() : () -> !cute.coord<"50">
              %604 = cute.memref.load(%rmem, %coord_243) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
              %605 = arith.select %598, %cst_1, %604 : f32
              cute.memref.store(%rmem, %coord_243, %605) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
              %coord_244 = cute.make_coord() : () -> !cute.coord<"51">
              %606 = cute.memref.load(%rmem, %coord_244) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
              %607 = arith.select %601, %cst_1, %606 : f32
              cute.memref.store(%rmem, %coord_244, %607) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
              %608 = arith.cmpi slt, %477, %c104_i32 : i32
              %coord_245 = cute.make_coord() : () -> !cute.coord<"52">
              %609 = cute.memref.load(%rmem, %coord_245) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
              %610 = arith.select %608, %cst_1, %609 : f32
              cute.memref.store(%rmem, %coord_245, %610) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
              %611 = arith.cmpi slt, %477, %c105_i32 : i32
              %coord_246 = cute.make_coord() : () -> !cute.coord<"53">
              %612 = cute.memref.load(%rmem, %coord_246) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
              %613 = arith.select %611, %cst_1, %612 : f32
              cute.memref.store(%rmem, %coord_246, %613) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
              %coord_247 = cute.make_coord() : () -> !cute.coord<"54">
              %614 = cute.memref.load(%rmem, %coord_247) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
              %615 = arith.select %608, %cst_1, %614 : f32
              cute.memref.store(%rmem, %coord_247, %615) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
              %coord_248 = cute.make_coord() : () -> !cute.coord<"55">
              %616 = cute.memref.load(%rmem, %coord_248) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
              %617 = arith.select %611, %cst_1, %616 : f32
              cute.memref.store(%rmem, %coord_248, %617) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
              %618 = arith.cmpi slt, %477, %c112_i32 : i32
              %coord_249 = cute.make_coord() : () -> !cute.coord<"56">
              %619 = cute.memref.load(%rmem, %coord_249) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
              %620 = arith.select %618, %cst_1, %619 : f32
              cute.memref.store(%rmem, %coord_249, %620) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
              %621 = arith.cmpi slt, %477, %c113_i32 : i32
              %coord_250 = cute.make_coord() : () -> !cute.coord<"57">
              %622 = cute.memref.load(%rmem, %coord_250) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
              %623 = arith.select %621, %cst_1, %622 : f32
              cute.memref.store(%rmem, %coord_250, %623) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
              %coord_251 = cute.make_coord() : () -> !cute.coord<"58">
              %624 = cute.memref.load(%rmem, %coord_251) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
              %625 = arith.select %618, %cst_1, %624 : f32
              cute.memref.store(%rmem, %coord_251, %625) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
              %coord_252 = cute.make_coord() : () -> !cute.coord<"59">
              %626 = cute.memref.load(%rmem, %coord_252) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
              %627 = arith.select %621, %cst_1, %626 : f32
              cute.memref.store(%rmem, %coord_252, %627) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
              %628 = arith.cmpi slt, %477, %c120_i32 : i32
              %coord_253 = cute.make_coord() : () -> !cute.coord<"60">
              %629 = cute.memref.load(%rmem, %coord_253) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
              %630 = arith.select %628, %cst_1, %629 : f32
              cute.memref.store(%rmem, %coord_253, %630) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
              %631 = arith.cmpi slt, %477, %c121_i32 : i32
              %coord_254 = cute.make_coord() : () -> !cute.coord<"61">
              %632 = cute.memref.load(%rmem, %coord_254) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
              %633 = arith.select %631, %cst_1, %632 : f32
              cute.memref.store(%rmem, %coord_254, %633) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
              %coord_255 = cute.make_coord() : () -> !cute.coord<"62">
              %634 = cute.memref.load(%rmem, %coord_255) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
              %635 = arith.select %628, %cst_1, %634 : f32
              cute.memref.store(%rmem, %coord_255, %635) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
              %coord_256 = cute.make_coord() : () -> !cute.coord<"63">
              %636 = cute.memref.load(%rmem, %coord_256) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
              %637 = arith.select %631, %cst_1, %636 : f32
              cute.memref.store(%rmem, %coord_256, %637) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
            }
            %56 = arith.remsi %20, %c2_i32 : i32
            %57 = arith.muli %56, %c8_i32 : i32
            %58 = arith.extsi %57 : i32 to i64
            %59 = arith.addi %45, %58 : i64
            %60 = arith.cmpi slt, %39, %c32_i32 : i32
            %61:2 = scf.if %60 -> (f32, f32) {
              %475 = cute.memref.load(%rmem, %coord_56) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
              %coord_194 = cute.make_coord() : () -> !cute.coord<"1">
              %476 = cute.memref.load(%rmem, %coord_194) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
              %coord_195 = cute.make_coord() : () -> !cute.coord<"2">
              %477 = cute.memref.load(%rmem, %coord_195) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
              %coord_196 = cute.make_coord() : () -> !cute.coord<"3">
              %478 = cute.memref.load(%rmem, %coord_196) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
              %coord_197 = cute.make_coord() : () -> !cute.coord<"4">
              %479 = cute.memref.load(%rmem, %coord_197) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
              %coord_198 = cute.make_coord() : () -> !cute.coord<"5">
              %480 = cute.memref.load(%rmem, %coord_198) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
              %coord_199 = cute.make_coord() : () -> !cute.coord<"6">
              %481 = cute.memref.load(%rmem, %coord_199) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
              %coord_200 = cute.make_coord() : () -> !cute.coord<"7">
              %482 = cute.memref.load(%rmem, %coord_200) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
              %coord_201 = cute.make_coord() : () -> !cute.coord<"8">
              %483 = cute.memref.load(%rmem, %coord_201) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
              %484 = nvvm.fmax nan %475, %483
              %coord_202 = cute.make_coord() : () -> !cute.coord<"9">
              %485 = cute.memref.load(%rmem, %coord_202) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
              %486 = nvvm.fmax nan %476, %485
              %coord_203 = cute.make_coord() : () -> !cute.coord<"10">
              %487 = cute.memref.load(%rmem, %coord_203) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
              %488 = nvvm.fmax nan %477, %487
              %coord_204 = cute.make_coord() : () -> !cute.coord<"11">
              %489 = cute.memref.load(%rmem, %coord_204) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
              %490 = nvvm.fmax nan %478, %489
              %coord_205 = cute.make_coord() : () -> !cute.coord<"12">
              %491 = cute.memref.load(%rmem, %coord_205) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
              %492 = nvvm.fmax nan %479, %491
              %coord_206 = cute.make_coord() : () -> !cute.coord<"13">
              %493 = cute.memref.load(%rmem, %coord_206) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
              %494 = nvvm.fmax nan %480, %493
              %coord_207 = cute.make_coord() : () -> !cute.coord<"14">
              %495 = cute.memref.load(%rmem, %coord_207) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
              %496 = nvvm.fmax nan %481, %495
              %coord_208 = cute.make_coord() : () -> !cute.coord<"15">
              %497 = cute.memref.load(%rmem, %coord_208) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
              %498 = nvvm.fmax nan %482, %497
              %coord_209 = cute.make_coord() : () -> !cute.coord<"16">
              %499 = cute.memref.load(%rmem, %coord_209) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
              %500 = nvvm.fmax nan %484, %499
              %coord_210 = cute.make_coord() : () -> !cute.coord<"17">
              %501 = cute.memref.load(%rmem, %coord_210) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
              %502 = nvvm.fmax nan %486, %501
              %coord_211 = cute.make_coord() : () -> !cute.coord<"18">
              %503 = cute.memref.load(%rmem, %coord_211) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
              %504 = nvvm.fmax nan %488, %503
              %coord_212 = cute.make_coord() : () -> !cute.coord<"19">
              %505 = cute.memref.load(%rmem, %coord_212) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
              %506 = nvvm.fmax nan %490, %505
              %coord_213 = cute.make_coord() : () -> !cute.coord<"20">
              %507 = cute.memref.load(%rmem, %coord_213) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
              %508 = nvvm.fmax nan %492, %507
              %coord_214 = cute.make_coord() : () -> !cute.coord<"21">
              %509 = cute.memref.load(%rmem, %coord_214) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
              %510 = nvvm.fmax nan %494, %509
              %coord_215 = cute.make_coord() : () -> !cute.coord<"22">
              %511 = cute.memref.load(%rmem, %coord_215) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
              %512 = nvvm.fmax nan %496, %511
              %coord_216 = cute.make_coord() : () -> !cute.coord<"23">
              %513 = cute.memref.load(%rmem, %coord_216) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
              %514 = nvvm.fmax nan %498, %513
              %coord_217 = cute.make_coord() : () -> !cute.coord<"24">
              %515 = cute.memref.load(%rmem, %coord_217) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
              %516 = nvvm.fmax nan %500, %515
              %coord_218 = cute.make_coord() : () -> !cute.coord<"25">
              %517 = cute.memref.load(%rmem, %coord_218) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
              %518 = nvvm.fmax nan %502, %517
              %coord_219 = cute.make_coord() : () -> !cute.coord<"26">
              %519 = cute.memref.load(%rmem, %coord_219) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
              %520 = nvvm.fmax nan %504, %519
              %coord_220 = cute.make_coord() : () -> !cute.coord<"27">
              %521 = cute.memref.load(%rmem, %coord_220) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
              %522 = nvvm.fmax nan %506, %521
              %coord_221 = cute.make_coord() : () -> !cute.coord<"28">
              %523 = cute.memref.load(%rmem, %coord_221) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
              %524 = nvvm.fmax nan %508, %523
              %coord_222 = cute.make_coord() : () -> !cute.coord<"29">
              %525 = cute.memref.load(%rmem, %coord_222) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
              %526 = nvvm.fmax nan %510, %525
              %coord_223 = cute.make_coord() : () -> !cute.coord<"30">
              %527 = cute.memref.load(%rmem, %coord_223) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
              %528 = nvvm.fmax nan %512, %527
              %coord_224 = cute.make_coord() : () -> !cute.coord<"31">
              %529 = cute.memref.load(%rmem, %coord_224) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
              %530 = nvvm.fmax nan %514, %529
              %coord_225 = cute.make_coord() : () -> !cute.coord<"32">
              %531 = cute.memref.load(%rmem, %coord_225) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
              %532 = nvvm.fmax nan %516, %531
              %coord_226 = cute.make_coord() : () -> !cute.coord<"33">
              %533 = cute.memref.load(%rmem, %coord_226) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
              %534 = nvvm.fmax nan %518, %533
              %coord_227 = cute.make_coord() : () -> !cute.coord<"34">
              %535 = cute.memref.load(%rmem, %coord_227) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
              %536 = nvvm.fmax nan %520, %535
              %coord_228 = cute.make_coord() : () -> !cute.coord<"35">
              %537 = cute.memref.load(%rmem, %coord_228) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
              %538 = nvvm.fmax nan %522, %537
              %coord_229 = cute.make_coord() : () -> !cute.coord<"36">
              %539 = cute.memref.load(%rmem, %coord_229) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
              %540 = nvvm.fmax nan %524, %539
              %coord_230 = cute.make_coord() : () -> !cute.coord<"37">
              %541 = cute.memref.load(%rmem, %coord_230) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
              %542 = nvvm.fmax nan %526, %541
              %coord_231 = cute.make_coord() : () -> !cute.coord<"38">
              %543 = cute.memref.load(%rmem, %coord_231) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
              %544 = nvvm.fmax nan %528, %543
              %coord_232 = cute.make_coord() : () -> !cute.coord<"39">
              %545 = cute.memref.load(%rmem, %coord_232) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
              %546 = nvvm.fmax nan %530, %545
              %coord_233 = cute.make_coord() : () -> !cute.coord<"40">
              %547 = cute.memref.load(%rmem, %coord_233) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
              %548 = nvvm.fmax nan %532, %547
              %coord_234 = cute.make_coord() : () -> !cute.coord<"41">
              %549 = cute.memref.load(%rmem, %coord_234) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
              %550 = nvvm.fmax nan %534, %549
              %coord_235 = cute.make_coord() : () -> !cute.coord<"42">
              %551 = cute.memref.load(%rmem, %coord_235) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
              %552 = nvvm.fmax nan %536, %551
              %coord_236 = cute.make_coord() : () -> !cute.coord<"43">
              %553 = cute.memref.load(%rmem, %coord_236) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
              %554 = nvvm.fmax nan %538, %553
              %coord_237 = cute.make_coord() : () -> !cute.coord<"44">
              %555 = cute.memref.load(%rmem, %coord_237) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
              %556 = nvvm.fmax nan %540, %555
              %coord_238 = cute.make_coord() : () -> !cute.coord<"45">
              %557 = cute.memref.load(%rmem, %coord_238) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
              %558 = nvvm.fmax nan %542, %557
              %coord_239 = cute.make_coord() : () -> !cute.coord<"46">
              %559 = cute.memref.load(%rmem, %coord_239) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
              %560 = nvvm.fmax nan %544, %559
              %coord_240 = cute.make_coord() : () -> !cute.coord<"47">
              %561 = cute.memref.load(%rmem, %coord_240) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
              %562 = nvvm.fmax nan %546, %561
              %coord_241 = cute.make_coord() : () -> !cute.coord<"48">
              %563 = cute.memref.load(%rmem, %coord_241) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
              %564 = nvvm.fmax nan %548, %563
              %coord_242 = cute.make_coord() : () -> !cute.coord<"49">
              %565 = cute.memref.load(%rmem, %coord_242) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
              %566 = nvvm.fmax nan %550, %565
              %coord_243 = cute.make_coord() : () -> !cute.coord<"50">
              %567 = cute.memref.load(%rmem, %coord_243) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
              %568 = nvvm.fmax nan %552, %567
              %coord_244 = cute.make_coord() : () -> !cute.coord<"51">
              %569 = cute.memref.load(%rmem, %coord_244) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
              %570 = nvvm.fmax nan %554, %569
              %coord_245 = cute.make_coord() : () -> !cute.coord<"52">
              %571 = cute.memref.load(%rmem, %coord_245) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
              %572 = nvvm.fmax nan %556, %571
              %coord_246 = cute.make_coord() : () -> !cute.coord<"53">
              %573 = cute.memref.load(%rmem, %coord_246) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
              %574 = nvvm.fmax nan %558, %573
              %coord_247 = cute.make_coord() : () -> !cute.coord<"54">
              %575 = cute.memref.load(%rmem, %coord_247) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
              %576 = nvvm.fmax nan %560, %575
              %coord_248 = cute.make_coord() : () -> !cute.coord<"55">
              %577 = cute.memref.load(%rmem, %coord_248) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
              %578 = nvvm.fmax nan %562, %577
              %coord_249 = cute.make_coord() : () -> !cute.coord<"56">
              %579 = cute.memref.load(%rmem, %coord_249) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
              %580 = nvvm.fmax nan %564, %579
              %coord_250 = cute.make_coord() : () -> !cute.coord<"57">
              %581 = cute.memref.load(%rmem, %coord_250) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
              %582 = nvvm.fmax nan %566, %581
              %coord_251 = cute.make_coord() : () -> !cute.coord<"58">
              %583 = cute.memref.load(%rmem, %coord_251) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
              %584 = nvvm.fmax nan %568, %583
              %coord_252 = cute.make_coord() : () -> !cute.coord<"59">
              %585 = cute.memref.load(%rmem, %coord_252) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
              %586 = nvvm.fmax nan %570, %585
              %coord_253 = cute.make_coord() : () -> !cute.coord<"60">
              %587 = cute.memref.load(%rmem, %coord_253) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
              %588 = nvvm.fmax nan %572, %587
              %coord_254 = cute.make_coord() : () -> !cute.coord<"61">
              %589 = cute.memref.load(%rmem, %coord_254) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
              %590 = nvvm.fmax nan %574, %589
              %coord_255 = cute.make_coord() : () -> !cute.coord<"62">
              %591 = cute.memref.load(%rmem, %coord_255) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
              %592 = nvvm.fmax nan %576, %591
              %coord_256 = cute.make_coord() : () -> !cute.coord<"63">
              %593 = cute.memref.load(%rmem, %coord_256) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
              %594 = nvvm.fmax nan %578, %593
              %595 = nvvm.fmax nan %580, %582
              %596 = nvvm.fmax nan %588, %590
              %597 = nvvm.fmax nan %595, %596
              %598 = nvvm.fmax nan %584, %586
              %599 = nvvm.fmax nan %592, %594
              %600 = nvvm.fmax nan %598, %599
              %601 = nvvm.shfl.sync bfly %c-1_i32, %597, %c1_i32, %c31_i32 : f32 -> f32
              %602 = nvvm.fmax nan %597, %601
              %603 = nvvm.shfl.sync bfly %c-1_i32, %602, %c2_i32, %c31_i32 : f32 -> f32
              %604 = nvvm.fmax nan %602, %603
              %605 = arith.mulf %604, %cst : f32
              %606 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %605 : (f32) -> f32
              %607 = nvvm.inline_ptx "cvt.rmi.f32.f32 {$w0}, {$r0};" ro(%606 : f32) -> f32
              %608 = arith.subf %605, %607 : f32
              %609 = nvvm.shfl.sync bfly %c-1_i32, %600, %c1_i32, %c31_i32 : f32 -> f32
              %610 = nvvm.fmax nan %600, %609
              %611 = nvvm.shfl.sync bfly %c-1_i32, %610, %c2_i32, %c31_i32 : f32 -> f32
              %612 = nvvm.fmax nan %610, %611
              %613 = arith.mulf %612, %cst : f32
              %614 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %613 : (f32) -> f32
              %615 = nvvm.inline_ptx "cvt.rmi.f32.f32 {$w0}, {$r0};" ro(%614 : f32) -> f32
              %616 = arith.subf %613, %615 : f32
              scf.yield %608, %616 : f32, f32
            } else {
              scf.yield %cst_0, %cst_0 : f32, f32
            }
            %62 = cute.memref.load(%rmem, %coord_56) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %63 = arith.mulf %62, %cst : f32
            %64 = arith.subf %63, %61#0 : f32
            %65 = math.exp2 %64 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_56, %65) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
            %coord_86 = cute.make_coord() : () -> !cute.coord<"1">
            %66 = cute.memref.load(%rmem, %coord_86) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %67 = arith.mulf %66, %cst : f32
            %68 = arith.subf %67, %61#0 : f32
            %69 = math.exp2 %68 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_86, %69) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
            %coord_87 = cute.make_coord() : () -> !cute.coord<"2">
            %70 = cute.memref.load(%rmem, %coord_87) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %71 = arith.mulf %70, %cst : f32
            %72 = arith.subf %71, %61#1 : f32
            %73 = math.exp2 %72 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_87, %73) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
            %coord_88 = cute.make_coord() : () -> !cute.coord<"3">
            %74 = cute.memref.load(%rmem, %coord_88) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %75 = arith.mulf %74, %cst : f32
            %76 = arith.subf %75, %61#1 : f32
            %77 = math.exp2 %76 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_88, %77) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
            %coord_89 = cute.make_coord() : () -> !cute.coord<"4">
            %78 = cute.memref.load(%rmem, %coord_89) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %79 = arith.mulf %78, %cst : f32
            %80 = arith.subf %79, %61#0 : f32
            %81 = math.exp2 %80 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_89, %81) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
            %coord_90 = cute.make_coord() : () -> !cute.coord<"5">
            %82 = cute.memref.load(%rmem, %coord_90) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %83 = arith.mulf %82, %cst : f32
            %84 = arith.subf %83, %61#0 : f32
            %85 = math.exp2 %84 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_90, %85) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
            %coord_91 = cute.make_coord() : () -> !cute.coord<"6">
            %86 = cute.memref.load(%rmem, %coord_91) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %87 = arith.mulf %86, %cst : f32
            %88 = arith.subf %87, %61#1 : f32
            %89 = math.exp2 %88 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_91, %89) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
            %coord_92 = cute.make_coord() : () -> !cute.coord<"7">
            %90 = cute.memref.load(%rmem, %coord_92) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %91 = arith.mulf %90, %cst : f32
            %92 = arith.subf %91, %61#1 : f32
            %93 = math.exp2 %92 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_92, %93) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
            %coord_93 = cute.make_coord() : () -> !cute.coord<"8">
            %94 = cute.memref.load(%rmem, %coord_93) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %95 = arith.mulf %94, %cst : f32
            %96 = arith.subf %95, %61#0 : f32
            %97 = math.exp2 %96 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_93, %97) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
            %coord_94 = cute.make_coord() : () -> !cute.coord<"9">
            %98 = cute.memref.load(%rmem, %coord_94) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %99 = arith.mulf %98, %cst : f32
            %100 = arith.subf %99, %61#0 : f32
            %101 = math.exp2 %100 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_94, %101) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
            %coord_95 = cute.make_coord() : () -> !cute.coord<"10">
            %102 = cute.memref.load(%rmem, %coord_95) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %103 = arith.mulf %102, %cst : f32
            %104 = arith.subf %103, %61#1 : f32
            %105 = math.exp2 %104 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_95, %105) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
            %coord_96 = cute.make_coord() : () -> !cute.coord<"11">
            %106 = cute.memref.load(%rmem, %coord_96) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %107 = arith.mulf %106, %cst : f32
            %108 = arith.subf %107, %61#1 : f32
            %109 = math.exp2 %108 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_96, %109) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
            %coord_97 = cute.make_coord() : () -> !cute.coord<"12">
            %110 = cute.memref.load(%rmem, %coord_97) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %111 = arith.mulf %110, %cst : f32
            %112 = arith.subf %111, %61#0 : f32
            %113 = math.exp2 %112 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_97, %113) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
            %coord_98 = cute.make_coord() : () -> !cute.coord<"13">
            %114 = cute.memref.load(%rmem, %coord_98) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %115 = arith.mulf %114, %cst : f32
            %116 = arith.subf %115, %61#0 : f32
            %117 = math.exp2 %116 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_98, %117) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
            %coord_99 = cute.make_coord() : () -> !cute.coord<"14">
            %118 = cute.memref.load(%rmem, %coord_99) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %119 = arith.mulf %118, %cst : f32
            %120 = arith.subf %119, %61#1 : f32
            %121 = math.exp2 %120 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_99, %121) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
            %coord_100 = cute.make_coord() : () -> !cute.coord<"15">
            %122 = cute.memref.load(%rmem, %coord_100) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %123 = arith.mulf %122, %cst : f32
            %124 = arith.subf %123, %61#1 : f32
            %125 = math.exp2 %124 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_100, %125) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
            %coord_101 = cute.make_coord() : () -> !cute.coord<"16">
            %126 = cute.memref.load(%rmem, %coord_101) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %127 = arith.mulf %126, %cst : f32
            %128 = arith.subf %127, %61#0 : f32
            %129 = math.exp2 %128 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_101, %129) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
            %coord_102 = cute.make_coord() : () -> !cute.coord<"17">
            %130 = cute.memref.load(%rmem, %coord_102) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %131 = arith.mulf %130, %cst : f32
            %132 = arith.subf %131, %61#0 : f32
            %133 = math.exp2 %132 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_102, %133) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
            %coord_103 = cute.make_coord() : () -> !cute.coord<"18">
            %134 = cute.memref.load(%rmem, %coord_103) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %135 = arith.mulf %134, %cst : f32
            %136 = arith.subf %135, %61#1 : f32
            %137 = math.exp2 %136 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_103, %137) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
            %coord_104 = cute.make_coord() : () -> !cute.coord<"19">
            %138 = cute.memref.load(%rmem, %coord_104) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %139 = arith.mulf %138, %cst : f32
            %140 = arith.subf %139, %61#1 : f32
            %141 = math.exp2 %140 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_104, %141) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
            %coord_105 = cute.make_coord() : () -> !cute.coord<"20">
            %142 = cute.memref.load(%rmem, %coord_105) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %143 = arith.mulf %142, %cst : f32
            %144 = arith.subf %143, %61#0 : f32
            %145 = math.exp2 %144 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_105, %145) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
            %coord_106 = cute.make_coord() : () -> !cute.coord<"21">
            %146 = cute.memref.load(%rmem, %coord_106) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %147 = arith.mulf %146, %cst : f32
            %148 = arith.subf %147, %61#0 : f32
            %149 = math.exp2 %148 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_106, %149) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
            %coord_107 = cute.make_coord() : () -> !cute.coord<"22">
            %150 = cute.memref.load(%rmem, %coord_107) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %151 = arith.mulf %150, %cst : f32
            %152 = arith.subf %151, %61#1 : f32
            %153 = math.exp2 %152 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_107, %153) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
            %coord_108 = cute.make_coord() : () -> !cute.coord<"23">
            %154 = cute.memref.load(%rmem, %coord_108) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %155 = arith.mulf %154, %cst : f32
            %156 = arith.subf %155, %61#1 : f32
            %157 = math.exp2 %156 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_108, %157) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
            %coord_109 = cute.make_coord() : () -> !cute.coord<"24">
            %158 = cute.memref.load(%rmem, %coord_109) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %159 = arith.mulf %158, %cst : f32
            %160 = arith.subf %159, %61#0 : f32
            %161 = math.exp2 %160 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_109, %161) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
            %coord_110 = cute.make_coord() : () -> !cute.coord<"25">
            %162 = cute.memref.load(%rmem, %coord_110) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %163 = arith.mulf %162, %cst : f32
            %164 = arith.subf %163, %61#0 : f32
            %165 = math.exp2 %164 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_110, %165) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
            %coord_111 = cute.make_coord() : () -> !cute.coord<"26">
            %166 = cute.memref.load(%rmem, %coord_111) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %167 = arith.mulf %166, %cst : f32
            %168 = arith.subf %167, %61#1 : f32
            %169 = math.exp2 %168 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_111, %169) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
            %coord_112 = cute.make_coord() : () -> !cute.coord<"27">
            %170 = cute.memref.load(%rmem, %coord_112) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %171 = arith.mulf %170, %cst : f32
            %172 = arith.subf %171, %61#1 : f32
            %173 = math.exp2 %172 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_112, %173) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
            %coord_113 = cute.make_coord() : () -> !cute.coord<"28">
            %174 = cute.memref.load(%rmem, %coord_113) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %175 = arith.mulf %174, %cst : f32
            %176 = arith.subf %175, %61#0 : f32
            %177 = math.exp2 %176 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_113, %177) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
            %coord_114 = cute.make_coord() : () -> !cute.coord<"29">
            %178 = cute.memref.load(%rmem, %coord_114) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %179 = arith.mulf %178, %cst : f32
            %180 = arith.subf %179, %61#0 : f32
            %181 = math.exp2 %180 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_114, %181) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
            %coord_115 = cute.make_coord() : () -> !cute.coord<"30">
            %182 = cute.memref.load(%rmem, %coord_115) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %183 = arith.mulf %182, %cst : f32
            %184 = arith.subf %183, %61#1 : f32
            %185 = math.exp2 %184 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_115, %185) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
            %coord_116 = cute.make_coord() : () -> !cute.coord<"31">
            %186 = cute.memref.load(%rmem, %coord_116) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %187 = arith.mulf %186, %cst : f32
            %188 = arith.subf %187, %61#1 : f32
            %189 = math.exp2 %188 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_116, %189) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
            %coord_117 = cute.make_coord() : () -> !cute.coord<"32">
            %190 = cute.memref.load(%rmem, %coord_117) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %191 = arith.mulf %190, %cst : f32
            %192 = arith.subf %191, %61#0 : f32
            %193 = math.exp2 %192 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_117, %193) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
            %coord_118 = cute.make_coord() : () -> !cute.coord<"33">
            %194 = cute.memref.load(%rmem, %coord_118) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %195 = arith.mulf %194, %cst : f32
            %196 = arith.subf %195, %61#0 : f32
            %197 = math.exp2 %196 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_118, %197) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
            %coord_119 = cute.make_coord() : () -> !cute.coord<"34">
            %198 = cute.memref.load(%rmem, %coord_119) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %199 = arith.mulf %198, %cst : f32
            %200 = arith.subf %199, %61#1 : f32
            %201 = math.exp2 %200 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_119, %201) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
            %coord_120 = cute.make_coord() : () -> !cute.coord<"35">
            %202 = cute.memref.load(%rmem, %coord_120) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %203 = arith.mulf %202, %cst : f32
            %204 = arith.subf %203, %61#1 : f32
            %205 = math.exp2 %204 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_120, %205) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
            %coord_121 = cute.make_coord() : () -> !cute.coord<"36">
            %206 = cute.memref.load(%rmem, %coord_121) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %207 = arith.mulf %206, %cst : f32
            %208 = arith.subf %207, %61#0 : f32
            %209 = math.exp2 %208 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_121, %209) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
            %coord_122 = cute.make_coord() : () -> !cute.coord<"37">
            %210 = cute.memref.load(%rmem, %coord_122) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %211 = arith.mulf %210, %cst : f32
            %212 = arith.subf %211, %61#0 : f32
            %213 = math.exp2 %212 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_122, %213) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
            %coord_123 = cute.make_coord() : () -> !cute.coord<"38">
            %214 = cute.memref.load(%rmem, %coord_123) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %215 = arith.mulf %214, %cst : f32
            %216 = arith.subf %215, %61#1 : f32
            %217 = math.exp2 %216 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_123, %217) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
            %coord_124 = cute.make_coord() : () -> !cute.coord<"39">
            %218 = cute.memref.load(%rmem, %coord_124) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %219 = arith.mulf %218, %cst : f32
            %220 = arith.subf %219, %61#1 : f32
            %221 = math.exp2 %220 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_124, %221) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
            %coord_125 = cute.make_coord() : () -> !cute.coord<"40">
            %222 = cute.memref.load(%rmem, %coord_125) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %223 = arith.mulf %222, %cst : f32
            %224 = arith.subf %223, %61#0 : f32
            %225 = math.exp2 %224 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_125, %225) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
            %coord_126 = cute.make_coord() : () -> !cute.coord<"41">
            %226 = cute.memref.load(%rmem, %coord_126) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %227 = arith.mulf %226, %cst : f32
            %228 = arith.subf %227, %61#0 : f32
            %229 = math.exp2 %228 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_126, %229) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
            %coord_127 = cute.make_coord() : () -> !cute.coord<"42">
            %230 = cute.memref.load(%rmem, %coord_127) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %231 = arith.mulf %230, %cst : f32
            %232 = arith.subf %231, %61#1 : f32
            %233 = math.exp2 %232 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_127, %233) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
            %coord_128 = cute.make_coord() : () -> !cute.coord<"43">
            %234 = cute.memref.load(%rmem, %coord_128) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %235 = arith.mulf %234, %cst : f32
            %236 = arith.subf %235, %61#1 : f32
            %237 = math.exp2 %236 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_128, %237) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
            %coord_129 = cute.make_coord() : () -> !cute.coord<"44">
            %238 = cute.memref.load(%rmem, %coord_129) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %239 = arith.mulf %238, %cst : f32
            %240 = arith.subf %239, %61#0 : f32
            %241 = math.exp2 %240 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_129, %241) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
            %coord_130 = cute.make_coord() : () -> !cute.coord<"45">
            %242 = cute.memref.load(%rmem, %coord_130) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %243 = arith.mulf %242, %cst : f32
            %244 = arith.subf %243, %61#0 : f32
            %245 = math.exp2 %244 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_130, %245) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
            %coord_131 = cute.make_coord() : () -> !cute.coord<"46">
            %246 = cute.memref.load(%rmem, %coord_131) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %247 = arith.mulf %246, %cst : f32
            %248 = arith.subf %247, %61#1 : f32
            %249 = math.exp2 %248 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_131, %249) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
            %coord_132 = cute.make_coord() : () -> !cute.coord<"47">
            %250 = cute.memref.load(%rmem, %coord_132) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %251 = arith.mulf %250, %cst : f32
            %252 = arith.subf %251, %61#1 : f32
            %253 = math.exp2 %252 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_132, %253) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
            %coord_133 = cute.make_coord() : () -> !cute.coord<"48">
            %254 = cute.memref.load(%rmem, %coord_133) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %255 = arith.mulf %254, %cst : f32
            %256 = arith.subf %255, %61#0 : f32
            %257 = math.exp2 %256 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_133, %257) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
            %coord_134 = cute.make_coord() : () -> !cute.coord<"49">
            %258 = cute.memref.load(%rmem, %coord_134) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %259 = arith.mulf %258, %cst : f32
            %260 = arith.subf %259, %61#0 : f32
            %261 = math.exp2 %260 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_134, %261) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
            %coord_135 = cute.make_coord() : () -> !cute.coord<"50">
            %262 = cute.memref.load(%rmem, %coord_135) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %263 = arith.mulf %262, %cst : f32
            %264 = arith.subf %263, %61#1 : f32
            %265 = math.exp2 %264 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_135, %265) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
            %coord_136 = cute.make_coord() : () -> !cute.coord<"51">
            %266 = cute.memref.load(%rmem, %coord_136) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %267 = arith.mulf %266, %cst : f32
            %268 = arith.subf %267, %61#1 : f32
            %269 = math.exp2 %268 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_136, %269) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
            %coord_137 = cute.make_coord() : () -> !cute.coord<"52">
            %270 = cute.memref.load(%rmem, %coord_137) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %271 = arith.mulf %270, %cst : f32
            %272 = arith.subf %271, %61#0 : f32
            %273 = math.exp2 %272 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_137, %273) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
            %coord_138 = cute.make_coord() : () -> !cute.coord<"53">
            %274 = cute.memref.load(%rmem, %coord_138) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %275 = arith.mulf %274, %cst : f32
            %276 = arith.subf %275, %61#0 : f32
            %277 = math.exp2 %276 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_138, %277) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
            %coord_139 = cute.make_coord() : () -> !cute.coord<"54">
            %278 = cute.memref.load(%rmem, %coord_139) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %279 = arith.mulf %278, %cst : f32
            %280 = arith.subf %279, %61#1 : f32
            %281 = math.exp2 %280 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_139, %281) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
            %coord_140 = cute.make_coord() : () -> !cute.coord<"55">
            %282 = cute.memref.load(%rmem, %coord_140) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %283 = arith.mulf %282, %cst : f32
            %284 = arith.subf %283, %61#1 : f32
            %285 = math.exp2 %284 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_140, %285) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
            %coord_141 = cute.make_coord() : () -> !cute.coord<"56">
            %286 = cute.memref.load(%rmem, %coord_141) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %287 = arith.mulf %286, %cst : f32
            %288 = arith.subf %287, %61#0 : f32
            %289 = math.exp2 %288 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_141, %289) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
            %coord_142 = cute.make_coord() : () -> !cute.coord<"57">
            %290 = cute.memref.load(%rmem, %coord_142) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %291 = arith.mulf %290, %cst : f32
            %292 = arith.subf %291, %61#0 : f32
            %293 = math.exp2 %292 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_142, %293) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
            %coord_143 = cute.make_coord() : () -> !cute.coord<"58">
            %294 = cute.memref.load(%rmem, %coord_143) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %295 = arith.mulf %294, %cst : f32
            %296 = arith.subf %295, %61#1 : f32
            %297 = math.exp2 %296 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_143, %297) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
            %coord_144 = cute.make_coord() : () -> !cute.coord<"59">
            %298 = cute.memref.load(%rmem, %coord_144) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %299 = arith.mulf %298, %cst : f32
            %300 = arith.subf %299, %61#1 : f32
            %301 = math.exp2 %300 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_144, %301) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
            %coord_145 = cute.make_coord() : () -> !cute.coord<"60">
            %302 = cute.memref.load(%rmem, %coord_145) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %303 = arith.mulf %302, %cst : f32
            %304 = arith.subf %303, %61#0 : f32
            %305 = math.exp2 %304 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_145, %305) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
            %coord_146 = cute.make_coord() : () -> !cute.coord<"61">
            %306 = cute.memref.load(%rmem, %coord_146) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %307 = arith.mulf %306, %cst : f32
            %308 = arith.subf %307, %61#0 : f32
            %309 = math.exp2 %308 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_146, %309) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
            %coord_147 = cute.make_coord() : () -> !cute.coord<"62">
            %310 = cute.memref.load(%rmem, %coord_147) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %311 = arith.mulf %310, %cst : f32
            %312 = arith.subf %311, %61#1 : f32
            %313 = math.exp2 %312 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_147, %313) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
            %coord_148 = cute.make_coord() : () -> !cute.coord<"63">
            %314 = cute.memref.load(%rmem, %coord_148) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %315 = arith.mulf %314, %cst : f32
            %316 = arith.subf %315, %61#1 : f32
            %317 = math.exp2 %316 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_148, %317) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
            %318 = cute.memref.load(%rmem, %coord_56) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %319 = cute.memref.load(%rmem, %coord_86) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %320 = cute.memref.load(%rmem, %coord_87) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %321 = cute.memref.load(%rmem, %coord_88) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %322 = cute.memref.load(%rmem, %coord_89) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %323 = cute.memref.load(%rmem, %coord_90) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %324 = cute.memref.load(%rmem, %coord_91) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %325 = cute.memref.load(%rmem, %coord_92) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %326 = cute.memref.load(%rmem, %coord_93) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %327 = arith.addf %318, %326 : f32
            %328 = cute.memref.load(%rmem, %coord_94) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %329 = arith.addf %319, %328 : f32
            %330 = cute.memref.load(%rmem, %coord_95) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %331 = arith.addf %320, %330 : f32
            %332 = cute.memref.load(%rmem, %coord_96) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %333 = arith.addf %321, %332 : f32
            %334 = cute.memref.load(%rmem, %coord_97) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %335 = arith.addf %322, %334 : f32
            %336 = cute.memref.load(%rmem, %coord_98) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %337 = arith.addf %323, %336 : f32
            %338 = cute.memref.load(%rmem, %coord_99) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %339 = arith.addf %324, %338 : f32
            %340 = cute.memref.load(%rmem, %coord_100) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %341 = arith.addf %325, %340 : f32
            %342 = cute.memref.load(%rmem, %coord_101) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %343 = arith.addf %327, %342 : f32
            %344 = cute.memref.load(%rmem, %coord_102) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %345 = arith.addf %329, %344 : f32
            %346 = cute.memref.load(%rmem, %coord_103) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %347 = arith.addf %331, %346 : f32
            %348 = cute.memref.load(%rmem, %coord_104) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %349 = arith.addf %333, %348 : f32
            %350 = cute.memref.load(%rmem, %coord_105) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %351 = arith.addf %335, %350 : f32
            %352 = cute.memref.load(%rmem, %coord_106) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %353 = arith.addf %337, %352 : f32
            %354 = cute.memref.load(%rmem, %coord_107) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %355 = arith.addf %339, %354 : f32
            %356 = cute.memref.load(%rmem, %coord_108) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %357 = arith.addf %341, %356 : f32
            %358 = cute.memref.load(%rmem, %coord_109) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %359 = arith.addf %343, %358 : f32
            %360 = cute.memref.load(%rmem, %coord_110) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %361 = arith.addf %345, %360 : f32
            %362 = cute.memref.load(%rmem, %coord_111) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %363 = arith.addf %347, %362 : f32
            %364 = cute.memref.load(%rmem, %coord_112) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %365 = arith.addf %349, %364 : f32
            %366 = cute.memref.load(%rmem, %coord_113) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %367 = arith.addf %351, %366 : f32
            %368 = cute.memref.load(%rmem, %coord_114) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %369 = arith.addf %353, %368 : f32
            %370 = cute.memref.load(%rmem, %coord_115) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %371 = arith.addf %355, %370 : f32
            %372 = cute.memref.load(%rmem, %coord_116) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %373 = arith.addf %357, %372 : f32
            %374 = cute.memref.load(%rmem, %coord_117) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %375 = arith.addf %359, %374 : f32
            %376 = cute.memref.load(%rmem, %coord_118) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %377 = arith.addf %361, %376 : f32
            %378 = cute.memref.load(%rmem, %coord_119) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %379 = arith.addf %363, %378 : f32
            %380 = cute.memref.load(%rmem, %coord_120) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %381 = arith.addf %365, %380 : f32
            %382 = cute.memref.load(%rmem, %coord_121) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %383 = arith.addf %367, %382 : f32
            %384 = cute.memref.load(%rmem, %coord_122) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %385 = arith.addf %369, %384 : f32
            %386 = cute.memref.load(%rmem, %coord_123) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %387 = arith.addf %371, %386 : f32
            %388 = cute.memref.load(%rmem, %coord_124) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %389 = arith.addf %373, %388 : f32
            %390 = cute.memref.load(%rmem, %coord_125) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %391 = arith.addf %375, %390 : f32
            %392 = cute.memref.load(%rmem, %coord_126) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %393 = arith.addf %377, %392 : f32
            %394 = cute.memref.load(%rmem, %coord_127) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %395 = arith.addf %379, %394 : f32
            %396 = cute.memref.load(%rmem, %coord_128) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %397 = arith.addf %381, %396 : f32
            %398 = cute.memref.load(%rmem, %coord_129) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %399 = arith.addf %383, %398 : f32
            %400 = cute.memref.load(%rmem, %coord_130) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %401 = arith.addf %385, %400 : f32
            %402 = cute.memref.load(%rmem, %coord_131) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %403 = arith.addf %387, %402 : f32
            %404 = cute.memref.load(%rmem, %coord_132) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %405 = arith.addf %389, %404 : f32
            %406 = cute.memref.load(%rmem, %coord_133) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %407 = arith.addf %391, %406 : f32
            %408 = cute.memref.load(%rmem, %coord_134) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %409 = arith.addf %393, %408 : f32
            %410 = cute.memref.load(%rmem, %coord_135) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %411 = arith.addf %395, %410 : f32
            %412 = cute.memref.load(%rmem, %coord_136) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %413 = arith.addf %397, %412 : f32
            %414 = cute.memref.load(%rmem, %coord_137) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %415 = arith.addf %399, %414 : f32
            %416 = cute.memref.load(%rmem, %coord_138) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %417 = arith.addf %401, %416 : f32
            %418 = cute.memref.load(%rmem, %coord_139) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %419 = arith.addf %403, %418 : f32
            %420 = cute.memref.load(%rmem, %coord_140) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %421 = arith.addf %405, %420 : f32
            %422 = cute.memref.load(%rmem, %coord_141) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %423 = arith.addf %407, %422 : f32
            %424 = cute.memref.load(%rmem, %coord_142) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %425 = arith.addf %409, %424 : f32
            %426 = cute.memref.load(%rmem, %coord_143) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %427 = arith.addf %411, %426 : f32
            %428 = cute.memref.load(%rmem, %coord_144) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %429 = arith.addf %413, %428 : f32
            %430 = cute.memref.load(%rmem, %coord_145) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %431 = arith.addf %415, %430 : f32
            %432 = cute.memref.load(%rmem, %coord_146) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %433 = arith.addf %417, %432 : f32
            %434 = cute.memref.load(%rmem, %coord_147) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %435 = arith.addf %419, %434 : f32
            %436 = cute.memref.load(%rmem, %coord_148) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %437 = arith.addf %421, %436 : f32
            %438 = arith.addf %423, %425 : f32
            %439 = arith.addf %431, %433 : f32
            %440 = arith.addf %438, %439 : f32
            %441 = arith.addf %427, %429 : f32
            %442 = arith.addf %435, %437 : f32
            %443 = arith.addf %441, %442 : f32
            %atom_149 = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>
            %444 = cute.make_tiled_mma(%atom_149) : !mma_bf16_bf16_f32_64x128x16_1
            %rmem_150 = cute.memref.alloca() : !memref_rmem_bf16
            %iter_151 = cute.get_iter(%rmem_150) : !memref_rmem_bf16
            %shape_152 = cute.make_shape() : () -> !cute.shape<"64">
            %lay_153 = cute.make_layout(%shape_152) : !cute.layout<"64:1">
            %view_154 = cute.make_view(%iter_61, %lay_153) : !memref_rmem_f32_1
            %view_155 = cute.make_view(%iter_151, %lay_153) : !memref_rmem_bf16_1
            %445 = cute.memref.load_vec(%view_154) : (!memref_rmem_f32_1) -> vector<64xf32>
            %446 = arith.truncf %445 : vector<64xf32> to vector<64xbf16>
            cute.memref.store_vec(%446, %view_155) : (vector<64xbf16>, !memref_rmem_bf16_1) -> ()
            %ptn_B_156 = cute.tiled.mma.partition B (%444, %view_18, %coord_56) : (!mma_bf16_bf16_f32_64x128x16_1, !memref_smem_bf16_1, !cute.coord<"0">) -> !memref_smem_bf16_18
            %frg_B_157 = cute.mma.make_fragment B (%444, %ptn_B_156) : (!mma_bf16_bf16_f32_64x128x16_1, !memref_smem_bf16_18) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8,(1,2)):(0,0,128,(0,2048))">
            %slice_158 = cute.slice(%frg_B_157, %coord_59) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8,(1,2)):(0,0,128,(0,2048))">, !cute.coord<"(_,_,_,?)">
            %rmem_159 = cute.memref.alloca() : !memref_rmem_f32
            %iter_160 = cute.get_iter(%rmem_159) : !memref_rmem_f32
            nvvm.wgmma.fence.aligned
            %447 = cute_nvgpu.atom.set_value<accum_c>(%atom_149, %false) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_161 = cute.slice(%rmem_150, %coord_62) : !memref_rmem_bf16, !cute.coord<"(_,_,0)">
            %slice_162 = cute.slice(%slice_158, %coord_62) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,0)">
            cute.gemm(%447, %rmem_159, %slice_161, %slice_162, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %448 = cute_nvgpu.atom.set_value<accum_c>(%447, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_163 = cute.slice(%rmem_150, %coord_65) : !memref_rmem_bf16, !cute.coord<"(_,_,1)">
            %slice_164 = cute.slice(%slice_158, %coord_65) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,1)">
            cute.gemm(%448, %rmem_159, %slice_163, %slice_164, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %449 = cute_nvgpu.atom.set_value<accum_c>(%448, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_165 = cute.slice(%rmem_150, %coord_68) : !memref_rmem_bf16, !cute.coord<"(_,_,2)">
            %slice_166 = cute.slice(%slice_158, %coord_68) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,2)">
            cute.gemm(%449, %rmem_159, %slice_165, %slice_166, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %450 = cute_nvgpu.atom.set_value<accum_c>(%449, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_167 = cute.slice(%rmem_150, %coord_71) : !memref_rmem_bf16, !cute.coord<"(_,_,3)">
            %slice_168 = cute.slice(%slice_158, %coord_71) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,3)">
            cute.gemm(%450, %rmem_159, %slice_167, %slice_168, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %451 = cute_nvgpu.atom.set_value<accum_c>(%450, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_169 = cute.slice(%rmem_150, %coord_74) : !memref_rmem_bf16, !cute.coord<"(_,_,4)">
            %slice_170 = cute.slice(%slice_158, %coord_74) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,4)">
            cute.gemm(%451, %rmem_159, %slice_169, %slice_170, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %452 = cute_nvgpu.atom.set_value<accum_c>(%451, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_171 = cute.slice(%rmem_150, %coord_77) : !memref_rmem_bf16, !cute.coord<"(_,_,5)">
            %slice_172 = cute.slice(%slice_158, %coord_77) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,5)">
            cute.gemm(%452, %rmem_159, %slice_171, %slice_172, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %453 = cute_nvgpu.atom.set_value<accum_c>(%452, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_173 = cute.slice(%rmem_150, %coord_80) : !memref_rmem_bf16, !cute.coord<"(_,_,6)">
            %slice_174 = cute.slice(%slice_158, %coord_80) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,6)">
            cute.gemm(%453, %rmem_159, %slice_173, %slice_174, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %454 = cute_nvgpu.atom.set_value<accum_c>(%453, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_175 = cute.slice(%rmem_150, %coord_83) : !memref_rmem_bf16, !cute.coord<"(_,_,7)">
            %slice_176 = cute.slice(%slice_158, %coord_83) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,7)">
            cute.gemm(%454, %rmem_159, %slice_175, %slice_176, %rmem_159) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            nvvm.wgmma.commit.group.sync.aligned
            %455 = arith.cmpi eq, %56, %c1_i32 : i32
            %456 = arith.select %455, %443, %440 : f32
            %457 = arith.select %455, %440, %443 : f32
            %458 = nvvm.shfl.sync bfly %c-1_i32, %457, %c1_i32, %c31_i32 : f32 -> f32
            %459 = arith.addf %456, %458 : f32
            %460 = nvvm.shfl.sync bfly %c-1_i32, %459, %c2_i32, %c31_i32 : f32 -> f32
            %461 = arith.addf %459, %460 : f32
            nvvm.wgmma.wait.group.sync.aligned 0
            %462 = arith.cmpi sge, %38, %c0_i32 : i32
            %463 = arith.andi %60, %462 : i1
            %464 = scf.if %463 -> (f32) {
              %475 = math.exp2 %61#0 fastmath<fast> : f32
              %476 = math.exp2 %61#1 fastmath<fast> : f32
              %477 = cute.memref.load(%rmem_159, %coord_56) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
              %478 = arith.mulf %477, %475 : f32
              cute.memref.store(%rmem_159, %coord_56, %478) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
              %479 = cute.memref.load(%rmem_159, %coord_86) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
              %480 = arith.mulf %479, %475 : f32
              cute.memref.store(%rmem_159, %coord_86, %480) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
              %481 = cute.memref.load(%rmem_159, %coord_87) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
              %482 = arith.mulf %481, %476 : f32
              cute.memref.store(%rmem_159, %coord_87, %482) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
              %483 = cute.memref.load(%rmem_159, %coord_88) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
              %484 = arith.mulf %483, %476 : f32
              cute.memref.store(%rmem_159, %coord_88, %484) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
              %485 = cute.memref.load(%rmem_159, %coord_89) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
              %486 = arith.mulf %485, %475 : f32
              cute.memref.store(%rmem_159, %coord_89, %486) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
              %487 = cute.memref.load(%rmem_159, %coord_90) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
              %488 = arith.mulf %487, %475 : f32
              cute.memref.store(%rmem_159, %coord_90, %488) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
              %489 = cute.memref.load(%rmem_159, %coord_91) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
              %490 = arith.mulf %489, %476 : f32
              cute.memref.store(%rmem_159, %coord_91, %490) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
              %491 = cute.memref.load(%rmem_159, %coord_92) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
              %492 = arith.mulf %491, %476 : f32
              cute.memref.store(%rmem_159, %coord_92, %492) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
              %493 = cute.memref.load(%rmem_159, %coord_93) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
              %494 = arith.mulf %493, %475 : f32
              cute.memref.store(%rmem_159, %coord_93, %494) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
              %495 = cute.memref.load(%rmem_159, %coord_94) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
              %496 = arith.mulf %495, %475 : f32
              cute.memref.store(%rmem_159, %coord_94, %496) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
              %497 = cute.memref.load(%rmem_159, %coord_95) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
              %498 = arith.mulf %497, %476 : f32
              cute.memref.store(%rmem_159, %coord_95, %498) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
              %499 = cute.memref.load(%rmem_159, %coord_96) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
              %500 = arith.mulf %499, %476 : f32
              cute.memref.store(%rmem_159, %coord_96, %500) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
              %501 = cute.memref.load(%rmem_159, %coord_97) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
              %502 = arith.mulf %501, %475 : f32
              cute.memref.store(%rmem_159, %coord_97, %502) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
              %503 = cute.memref.load(%rmem_159, %coord_98) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
              %504 = arith.mulf %503, %475 : f32
              cute.memref.store(%rmem_159, %coord_98, %504) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
              %505 = cute.memref.load(%rmem_159, %coord_99) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
              %506 = arith.mulf %505, %476 : f32
              cute.memref.store(%rmem_159, %coord_99, %506) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
              %507 = cute.memref.load(%rmem_159, %coord_100) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
              %508 = arith.mulf %507, %476 : f32
              cute.memref.store(%rmem_159, %coord_100, %508) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
              %509 = cute.memref.load(%rmem_159, %coord_101) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
              %510 = arith.mulf %509, %475 : f32
              cute.memref.store(%rmem_159, %coord_101, %510) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
              %511 = cute.memref.load(%rmem_159, %coord_102) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
              %512 = arith.mulf %511, %475 : f32
              cute.memref.store(%rmem_159, %coord_102, %512) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
              %513 = cute.memref.load(%rmem_159, %coord_103) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
              %514 = arith.mulf %513, %476 : f32
              cute.memref.store(%rmem_159, %coord_103, %514) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
              %515 = cute.memref.load(%rmem_159, %coord_104) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
              %516 = arith.mulf %515, %476 : f32
              cute.memref.store(%rmem_159, %coord_104, %516) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
              %517 = cute.memref.load(%rmem_159, %coord_105) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
              %518 = arith.mulf %517, %475 : f32
              cute.memref.store(%rmem_159, %coord_105, %518) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
              %519 = cute.memref.load(%rmem_159, %coord_106) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
              %520 = arith.mulf %519, %475 : f32
              cute.memref.store(%rmem_159, %coord_106, %520) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
              %521 = cute.memref.load(%rmem_159, %coord_107) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
              %522 = arith.mulf %521, %476 : f32
              cute.memref.store(%rmem_159, %coord_107, %522) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
              %523 = cute.memref.load(%rmem_159, %coord_108) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
              %524 = arith.mulf %523, %476 : f32
              cute.memref.store(%rmem_159, %coord_108, %524) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
              %525 = cute.memref.load(%rmem_159, %coord_109) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
              %526 = arith.mulf %525, %475 : f32
              cute.memref.store(%rmem_159, %coord_109, %526) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
              %527 = cute.memref.load(%rmem_159, %coord_110) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
              %528 = arith.mulf %527, %475 : f32
              cute.memref.store(%rmem_159, %coord_110, %528) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
              %529 = cute.memref.load(%rmem_159, %coord_111) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
              %530 = arith.mulf %529, %476 : f32
              cute.memref.store(%rmem_159, %coord_111, %530) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
              %531 = cute.memref.load(%rmem_159, %coord_112) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
              %532 = arith.mulf %531, %476 : f32
              cute.memref.store(%rmem_159, %coord_112, %532) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
              %533 = cute.memref.load(%rmem_159, %coord_113) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
              %534 = arith.mulf %533, %475 : f32
              cute.memref.store(%rmem_159, %coord_113, %534) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
              %535 = cute.memref.load(%rmem_159, %coord_114) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
              %536 = arith.mulf %535, %475 : f32
              cute.memref.store(%rmem_159, %coord_114, %536) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
              %537 = cute.memref.load(%rmem_159, %coord_115) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
              %538 = arith.mulf %537, %476 : f32
              cute.memref.store(%rmem_159, %coord_115, %538) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
              %539 = cute.memref.load(%rmem_159, %coord_116) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
              %540 = arith.mulf %539, %476 : f32
              cute.memref.store(%rmem_159, %coord_116, %540) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
              %541 = cute.memref.load(%rmem_159, %coord_117) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
              %542 = arith.mulf %541, %475 : f32
              cute.memref.store(%rmem_159, %coord_117, %542) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
              %543 = cute.memref.load(%rmem_159, %coord_118) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
              %544 = arith.mulf %543, %475 : f32
              cute.memref.store(%rmem_159, %coord_118, %544) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
              %545 = cute.memref.load(%rmem_159, %coord_119) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
              %546 = arith.mulf %545, %476 : f32
              cute.memref.store(%rmem_159, %coord_119, %546) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
              %547 = cute.memref.load(%rmem_159, %coord_120) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
              %548 = arith.mulf %547, %476 : f32
              cute.memref.store(%rmem_159, %coord_120, %548) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
              %549 = cute.memref.load(%rmem_159, %coord_121) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
              %550 = arith.mulf %549, %475 : f32
              cute.memref.store(%rmem_159, %coord_121, %550) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
              %551 = cute.memref.load(%rmem_159, %coord_122) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
              %552 = arith.mulf %551, %475 : f32
              cute.memref.store(%rmem_159, %coord_122, %552) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
              %553 = cute.memref.load(%rmem_159, %coord_123) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
              %554 = arith.mulf %553, %476 : f32
              cute.memref.store(%rmem_159, %coord_123, %554) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
              %555 = cute.memref.load(%rmem_159, %coord_124) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
              %556 = arith.mulf %555, %476 : f32
              cute.memref.store(%rmem_159, %coord_124, %556) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
              %557 = cute.memref.load(%rmem_159, %coord_125) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
              %558 = arith.mulf %557, %475 : f32
              cute.memref.store(%rmem_159, %coord_125, %558) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
              %559 = cute.memref.load(%rmem_159, %coord_126) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
              %560 = arith.mulf %559, %475 : f32
              cute.memref.store(%rmem_159, %coord_126, %560) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
              %561 = cute.memref.load(%rmem_159, %coord_127) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
              %562 = arith.mulf %561, %476 : f32
              cute.memref.store(%rmem_159, %coord_127, %562) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
              %563 = cute.memref.load(%rmem_159, %coord_128) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
              %564 = arith.mulf %563, %476 : f32
              cute.memref.store(%rmem_159, %coord_128, %564) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
              %565 = cute.memref.load(%rmem_159, %coord_129) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
              %566 = arith.mulf %565, %475 : f32
              cute.memref.store(%rmem_159, %coord_129, %566) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
              %567 = cute.memref.load(%rmem_159, %coord_130) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
              %568 = arith.mulf %567, %475 : f32
              cute.memref.store(%rmem_159, %coord_130, %568) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
              %569 = cute.memref.load(%rmem_159, %coord_131) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
              %570 = arith.mulf %569, %476 : f32
              cute.memref.store(%rmem_159, %coord_131, %570) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
              %571 = cute.memref.load(%rmem_159, %coord_132) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
              %572 = arith.mulf %571, %476 : f32
              cute.memref.store(%rmem_159, %coord_132, %572) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
              %573 = cute.memref.load(%rmem_159, %coord_133) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
              %574 = arith.mulf %573, %475 : f32
              cute.memref.store(%rmem_159, %coord_133, %574) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
              %575 = cute.memref.load(%rmem_159, %coord_134) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
              %576 = arith.mulf %575, %475 : f32
              cute.memref.store(%rmem_159, %coord_134, %576) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
              %577 = cute.memref.load(%rmem_159, %coord_135) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
              %578 = arith.mulf %577, %476 : f32
              cute.memref.store(%rmem_159, %coord_135, %578) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
              %579 = cute.memref.load(%rmem_159, %coord_136) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
              %580 = arith.mulf %579, %476 : f32
              cute.memref.store(%rmem_159, %coord_136, %580) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
              %581 = cute.memref.load(%rmem_159, %coord_137) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
              %582 = arith.mulf %581, %475 : f32
              cute.memref.store(%rmem_159, %coord_137, %582) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
              %583 = cute.memref.load(%rmem_159, %coord_138) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
              %584 = arith.mulf %583, %475 : f32
              cute.memref.store(%rmem_159, %coord_138, %584) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
              %585 = cute.memref.load(%rmem_159, %coord_139) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
              %586 = arith.mulf %585, %476 : f32
              cute.memref.store(%rmem_159, %coord_139, %586) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
              %587 = cute.memref.load(%rmem_159, %coord_140) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
              %588 = arith.mulf %587, %476 : f32
              cute.memref.store(%rmem_159, %coord_140, %588) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
              %589 = cute.memref.load(%rmem_159, %coord_141) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
              %590 = arith.mulf %589, %475 : f32
              cute.memref.store(%rmem_159, %coord_141, %590) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
              %591 = cute.memref.load(%rmem_159, %coord_142) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
              %592 = arith.mulf %591, %475 : f32
              cute.memref.store(%rmem_159, %coord_142, %592) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
              %593 = cute.memref.load(%rmem_159, %coord_143) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
              %594 = arith.mulf %593, %476 : f32
              cute.memref.store(%rmem_159, %coord_143, %594) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
              %595 = cute.memref.load(%rmem_159, %coord_144) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
              %596 = arith.mulf %595, %476 : f32
              cute.memref.store(%rmem_159, %coord_144, %596) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
              %597 = cute.memref.load(%rmem_159, %coord_145) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
              %598 = arith.mulf %597, %475 : f32
              cute.memref.store(%rmem_159, %coord_145, %598) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
              %599 = cute.memref.load(%rmem_159, %coord_146) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
              %600 = arith.mulf %599, %475 : f32
              cute.memref.store(%rmem_159, %coord_146, %600) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
              %601 = cute.memref.load(%rmem_159, %coord_147) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
              %602 = arith.mulf %601, %476 : f32
              cute.memref.store(%rmem_159, %coord_147, %602) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
              %603 = cute.memref.load(%rmem_159, %coord_148) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
              %604 = arith.mulf %603, %476 : f32
              cute.memref.store(%rmem_159, %coord_148, %604) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
              %605 = arith.select %455, %476, %475 : f32
              %606 = arith.mulf %461, %605 : f32
              %rmem_194 = cute.memref.alloca() : !memref_rmem_bf16_4
              %iter_195 = cute.get_iter(%rmem_194) : !memref_rmem_bf16_4
              %view_196 = cute.make_view(%iter_160, %lay_153) : !memref_rmem_f32_1
              %view_197 = cute.make_view(%iter_195, %lay_153) : !memref_rmem_bf16_1
              %607 = cute.memref.load_vec(%view_196) : (!memref_rmem_f32_1) -> vector<64xf32>
              %608 = arith.truncf %607 : vector<64xf32> to vector<64xbf16>
              cute.memref.store_vec(%608, %view_197) : (vector<64xbf16>, !memref_rmem_bf16_1) -> ()
              %rmem_198 = cute.memref.alloca() : !memref_rmem_bf16_4
              %609 = cute.memref.load_vec(%rmem_159) : (!memref_rmem_f32) -> vector<64xf32>
              %610 = cute.memref.load_vec(%rmem_194) : (!memref_rmem_bf16_4) -> vector<64xbf16>
              %611 = arith.extf %610 : vector<64xbf16> to vector<64xf32>
              %612 = arith.subf %609, %611 : vector<64xf32>
              %613 = arith.truncf %612 : vector<64xf32> to vector<64xbf16>
              cute.memref.store_vec(%613, %rmem_198) : (vector<64xbf16>, !memref_rmem_bf16_4) -> ()
              %atom_199 = cute.make_atom() : () -> !cute_nvgpu.atom.stsm<bf16, mode = <"(8,8)">, num_matrices = 4, n>
              %614 = cute.make_tiled_copy(%atom_199) : !copy_stsm_4
              %615 = arith.remsi %3, %c128_i32 : i32
              %coord_200 = cute.make_coord(%615) : (i32) -> !cute.coord<"?">
              %dst_partitioned_201 = cute.tiled.copy.partition_D(%614, %slice, %coord_200) : (!copy_stsm_4, !memref_smem_bf16_15, !cute.coord<"?">) -> !memref_smem_bf16_19
              %retiled_202 = cute.tiled.copy.retile(%614, %rmem_198) : (!copy_stsm_4, !memref_rmem_bf16_4) -> !memref_rmem_bf16_5
              %iter_203 = cute.get_iter(%retiled_202) : !memref_rmem_bf16_5
              %slice_204 = cute.slice(%dst_partitioned_201, %coord_57) : !memref_smem_bf16_19, !cute.coord<"(_,_,_,?)">
              %iter_205 = cute.get_iter(%slice_204) : !memref_smem_bf16_20
              %lay_206 = cute.get_layout(%retiled_202) : !memref_rmem_bf16_5
              %lay_207 = cute.get_layout(%slice_204) : !memref_smem_bf16_20
              %shape_208 = cute.make_shape() : () -> !cute.shape<"1">
              %lay_209 = cute.make_layout(%shape_208) : !cute.layout<"1:0">
              %append_210 = cute.append_to_rank<2> (%lay_206, %lay_209) : !cute.layout<"((8,8),1,1):((1,8),0,0)">, !cute.layout<"1:0">
              %view_211 = cute.make_view(%iter_203, %append_210) : !memref_rmem_bf16_5
              %grouped_212 = cute.group_modes(%view_211) <1, 3> : (!memref_rmem_bf16_5) -> !memref_rmem_bf16_6
              %append_213 = cute.append_to_rank<2> (%lay_207, %lay_209) : !cute.layout<"((8,(4,2)),1,1):((1,(16,512)),0,0)">, !cute.layout<"1:0">
              %view_214 = cute.make_view(%iter_205, %append_213) : !memref_smem_bf16_20
              %grouped_215 = cute.group_modes(%view_214) <1, 3> : (!memref_smem_bf16_20) -> !memref_smem_bf16_21
              cute.copy(%614, %grouped_212, %grouped_215) : (!copy_stsm_4, !memref_rmem_bf16_6, !memref_smem_bf16_21)
              nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
              nvvm.bar.warp.sync %c-1_i32 : i32
              %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
              %div = cute.flat_divide(%arg7, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
              %grouped_216 = cute.group_modes(%div) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
              %shape_217 = cute.make_shape() : () -> !cute.shape<"((64,8,2,2),4,2,3)">
              %stride_218 = cute.make_stride() : () -> !cute.stride<"((1,64,512,1024),2048,8192,16384)">
              %lay_219 = cute.make_layout(%shape_217, %stride_218) : !cute.layout<"((64,8,2,2),4,2,3):((1,64,512,1024),2048,8192,16384)">
              %view_220 = cute.make_view(%iter_21, %lay_219) : !memref_smem_bf16_8
              %slice_221 = cute.slice(%view_220, %coord_55) : !memref_smem_bf16_8, !cute.coord<"(_,_,_,?)">
              %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg6, %coord_56, %lay_209, %slice_221, %grouped_216) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
              %coord_222 = cute.make_coord() : () -> !cute.coord<"(_,0,0,0,_)">
              %slice_223 = cute.slice(%res_target_tensors, %coord_222) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
              %coord_224 = cute.make_coord(%37, %32) : (i32, i32) -> !cute.coord<"(_,?,?)">
              %slice_225 = cute.slice(%res_smem_tensor, %coord_224) : !memref_smem_bf16_10, !cute.coord<"(_,?,?)">
              %iter_226 = cute.get_iter(%slice_225) : !memref_smem_bf16_11
              %616 = arith.xori %38, %c1_i32 : i32
              %coord_227 = cute.make_coord(%616) : (i32) -> !cute.coord<"(_,?)">
              %slice_228 = cute.slice(%slice_223, %coord_227) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_229 = cute.get_iter(%slice_228) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_229) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_230 = cute.get_layout(%slice_225) : !memref_smem_bf16_11
              %lay_231 = cute.get_layout(%slice_228) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %append_232 = cute.append_to_rank<2> (%lay_230, %lay_209) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_233 = cute.make_view(%iter_226, %append_232) : !memref_smem_bf16_12
              %grouped_234 = cute.group_modes(%view_233) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %append_235 = cute.append_to_rank<2> (%lay_231, %lay_209) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_236 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_236) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_237 = cute.make_view(%int_tup_iter, %append_235) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_238 = cute.group_modes(%view_237) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %617 = cute_nvgpu.atom.make_exec_tma(%arg6) : (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              cute.copy(%617, %grouped_234, %grouped_238) : (!cute_nvgpu.atom.tma_reduce<bf16, copy_bits = 32768, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !memref_smem_bf16_13, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">)
              nvvm.cp.async.bulk.commit.group
              nvvm.cp.async.bulk.wait_group 0 {read}
              nvvm.bar.warp.sync %c-1_i32 : i32
              scf.yield %606 : f32
            } else {
              scf.yield %461 : f32
            }
            %rmem_177 = cute.memref.alloca() : !memref_rmem_bf16_4
            %iter_178 = cute.get_iter(%rmem_177) : !memref_rmem_bf16_4
            %view_179 = cute.make_view(%iter_160, %lay_153) : !memref_rmem_f32_1
            %view_180 = cute.make_view(%iter_178, %lay_153) : !memref_rmem_bf16_1
            %465 = cute.memref.load_vec(%view_179) : (!memref_rmem_f32_1) -> vector<64xf32>
            %466 = arith.truncf %465 : vector<64xf32> to vector<64xbf16>
            cute.memref.store_vec(%466, %view_180) : (vector<64xbf16>, !memref_rmem_bf16_1) -> ()
            %atom_181 = cute.make_atom() : () -> !cute_nvgpu.atom.stsm<bf16, mode = <"(8,8)">, num_matrices = 4, n>
            %467 = cute.make_tiled_copy(%atom_181) : !copy_stsm_4
            %468 = arith.remsi %3, %c128_i32 : i32
            %coord_182 = cute.make_coord(%468) : (i32) -> !cute.coord<"?">
            %dst_partitioned = cute.tiled.copy.partition_D(%467, %slice, %coord_182) : (!copy_stsm_4, !memref_smem_bf16_15, !cute.coord<"?">) -> !memref_smem_bf16_19
            %retiled = cute.tiled.copy.retile(%467, %rmem_177) : (!copy_stsm_4, !memref_rmem_bf16_4) -> !memref_rmem_bf16_5
            %iter_183 = cute.get_iter(%retiled) : !memref_rmem_bf16_5
            %slice_184 = cute.slice(%dst_partitioned, %coord_57) : !memref_smem_bf16_19, !cute.coord<"(_,_,_,?)">
            %iter_185 = cute.get_iter(%slice_184) : !memref_smem_bf16_20
            %lay_186 = cute.get_layout(%retiled) : !memref_rmem_bf16_5
            %lay_187 = cute.get_layout(%slice_184) : !memref_smem_bf16_20
            %shape_188 = cute.make_shape() : () -> !cute.shape<"1">
            %lay_189 = cute.make_layout(%shape_188) : !cute.layout<"1:0">
            %append = cute.append_to_rank<2> (%lay_186, %lay_189) : !cute.layout<"((8,8),1,1):((1,8),0,0)">, !cute.layout<"1:0">
            %view_190 = cute.make_view(%iter_183, %append) : !memref_rmem_bf16_5
            %grouped = cute.group_modes(%view_190) <1, 3> : (!memref_rmem_bf16_5) -> !memref_rmem_bf16_6
            %append_191 = cute.append_to_rank<2> (%lay_187, %lay_189) : !cute.layout<"((8,(4,2)),1,1):((1,(16,512)),0,0)">, !cute.layout<"1:0">
            %view_192 = cute.make_view(%iter_185, %append_191) : !memref_smem_bf16_20
            %grouped_193 = cute.group_modes(%view_192) <1, 3> : (!memref_smem_bf16_20) -> !memref_smem_bf16_21
            cute.copy(%467, %grouped, %grouped_193) : (!copy_stsm_4, !memref_rmem_bf16_6, !memref_smem_bf16_21)
            nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
            nvvm.bar.warp.sync %c-1_i32 : i32
            %469 = arith.cmpi eq, %20, %c0_i32 : i32
            scf.if %469 {
              %475 = builtin.unrealized_conversion_cast %ptr_48 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %476 = nvvm.mbarrier.arrive %475, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %470 = arith.remsi %20, %c4_i32 : i32
            %471 = arith.cmpi slt, %470, %c2_i32 : i32
            %472 = arith.andi %462, %471 : i1
            scf.if %472 {
              %int_tuple_194 = cute.make_int_tuple(%59) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_195 = cute.add_offset(%arg9, %int_tuple_194) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<f32, gmem>
              %475 = builtin.unrealized_conversion_cast %ptr_195 : !cute.ptr<f32, gmem> to !llvm.ptr<1>
              nvvm.red %475, %464 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<add>, type = #nvvm.red_type<f32>} : !llvm.ptr<1>, f32
            }
            %473 = arith.addi %arg22, %c1_i32 : i32
            %474 = arith.addi %arg23, %c3_i32 : i32
            scf.yield %473, %474 : i32, i32
          }
          %29 = arith.subi %28#1, %26 : i32
          nvvm.bar.warp.sync %c-1_i32 : i32
          %30 = arith.cmpi eq, %20, %c0_i32 : i32
          scf.if %30 {
            %ptr_43 = cute.add_offset(%ptr, %int_tuple_41) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %32 = builtin.unrealized_conversion_cast %ptr_43 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            %33 = nvvm.mbarrier.arrive %32, %c1_i32 : !llvm.ptr<3> -> i64
          }
          %31 = arith.addi %arg21, %c1_i32 : i32
          scf.yield %26, %28#0, %29, %31 : i32, i32, i32, i32
        }
        nvvm.cp.async.bulk.wait_group 0
      }
      return
    }
    cuda.kernel @msa_attention_forward_1(%arg0: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg1: !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, %arg2: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg3: !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, %arg4: !cute.ptr<bf16, gmem, align<16>>, %arg5: !cute.ptr<f32, gmem, align<16>>, %arg6: !cute.ptr<i32, gmem, align<16>>, %arg7: !cute.ptr<f32, gmem, align<16>>, %arg8: !cute.ptr<i32, gmem, align<16>>, %arg9: !cute.ptr<i32, gmem, align<16>>, %arg10: !cute.ptr<i32, gmem, align<16>>, %arg11: !cute.ptr<i32, gmem, align<16>>, %arg12: !cute.ptr<i32, gmem, align<16>>, %arg13: !cute.ptr<i32, gmem, align<16>>, %arg14: i32) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, cutlass_launch_facts = {cluster_launch = false, cooperative_launch = false, exact_block_dim = array<i64: 512, 1, 1>, schema_version = 1 : i64}, gpu.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 512, 1, 1>, smem.hint_smem_base_uniform, smem.partition_num = 2 : i32} {
      %c2147483647_i32 = arith.constant 2147483647 : i32
      %cst = arith.constant 0.127517432 : f32
      %c121_i32 = arith.constant 121 : i32
      %c120_i32 = arith.constant 120 : i32
      %c113_i32 = arith.constant 113 : i32
      %c112_i32 = arith.constant 112 : i32
      %c105_i32 = arith.constant 105 : i32
      %c104_i32 = arith.constant 104 : i32
      %c97_i32 = arith.constant 97 : i32
      %c96_i32 = arith.constant 96 : i32
      %c89_i32 = arith.constant 89 : i32
      %c88_i32 = arith.constant 88 : i32
      %c81_i32 = arith.constant 81 : i32
      %c80_i32 = arith.constant 80 : i32
      %c73_i32 = arith.constant 73 : i32
      %c72_i32 = arith.constant 72 : i32
      %c65_i32 = arith.constant 65 : i32
      %c64_i32 = arith.constant 64 : i32
      %c57_i32 = arith.constant 57 : i32
      %c56_i32 = arith.constant 56 : i32
      %c49_i32 = arith.constant 49 : i32
      %c48_i32 = arith.constant 48 : i32
      %c41_i32 = arith.constant 41 : i32
      %c40_i32 = arith.constant 40 : i32
      %c33_i32 = arith.constant 33 : i32
      %c25_i32 = arith.constant 25 : i32
      %c24_i32 = arith.constant 24 : i32
      %c17_i32 = arith.constant 17 : i32
      %c16_i32 = arith.constant 16 : i32
      %c9_i32 = arith.constant 9 : i32
      %c8_i32 = arith.constant 8 : i32
      %cst_0 = arith.constant 0xFF800000 : f32
      %c127_i32 = arith.constant 127 : i32
      %true = arith.constant true
      %false = arith.constant false
      %c16_i64 = arith.constant 16 : i64
      %c16384_i32 = arith.constant 16384 : i32
      %c128_i32 = arith.constant 128 : i32
      %c32768_i32 = arith.constant 32768 : i32
      %c10000000_i32 = arith.constant 10000000 : i32
      %c3_i32 = arith.constant 3 : i32
      %c2_i32 = arith.constant 2 : i32
      %c4_i64 = arith.constant 4 : i64
      %c31_i32 = arith.constant 31 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c32_i32 = arith.constant 32 : i32
      %c4_i32 = arith.constant 4 : i32
      %c15_i32 = arith.constant 15 : i32
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %0 = cute.static : !cute.swizzle<"S<3,4,3>">
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8
      %iter = cute.get_iter(%smem) : !memref_smem_i8
      %iter_1 = cute.recast_iter(%iter) : !cute.ptr<i8, smem, align<8>> to !cute.ptr<i64, smem>
      %shape = cute.make_shape() : () -> !cute.shape<"(8,64)">
      %stride = cute.make_stride() : () -> !cute.stride<"(64,1)">
      %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(8,64):(64,1)">
      %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
      %lay_2 = cute.make_composed_layout(%0, %int_tuple, %lay) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
      %shape_3 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
      %int_tuple_4 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
      %tile_to_shape = cute.tile_to_shape(%lay_2, %shape_3, %int_tuple_4) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %1 = cute.composed_get_outer(%tile_to_shape) : (!cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">) -> !cute.layout<"((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %smem_5 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
      %iter_6 = cute.get_iter(%smem_5) : !memref_smem_i8_1
      %iter_7 = cute.recast_iter(%iter_6) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %view = cute.make_view(%iter_7, %1) : !memref_smem_bf16
      %smem_8 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_2
      %iter_9 = cute.get_iter(%smem_8) : !memref_smem_i8_2
      %iter_10 = cute.recast_iter(%iter_9) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %shape_11 = cute.make_shape() : () -> !cute.shape<"(4,2)">
      %lay_12 = cute.make_layout(%shape_11) : !cute.layout<"(4,2):(1,4)">
      %smem_13 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_3
      %iter_14 = cute.get_iter(%smem_13) : !memref_smem_i8_3
      %iter_15 = cute.recast_iter(%iter_14) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_16 = cute.make_view(%iter_15, %lay_12) : !memref_smem_i32
      %shape_17 = cute.make_shape() : () -> !cute.shape<"(2,4,2,3)">
      %lay_18 = cute.make_layout(%shape_17) : !cute.layout<"(2,4,2,3):(1,2,8,16)">
      %smem_19 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_4
      %iter_20 = cute.get_iter(%smem_19) : !memref_smem_i8_4
      %iter_21 = cute.recast_iter(%iter_20) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_22 = cute.make_view(%iter_21, %lay_18) : !memref_smem_i32_1
      %int_tuple_23 = cute.make_int_tuple() : () -> !cute.int_tuple<"2">
      %ptr = cute.add_offset(%iter_1, %int_tuple_23) : (!cute.ptr<i64, smem>, !cute.int_tuple<"2">) -> !cute.ptr<i64, smem>
      %int_tuple_24 = cute.make_int_tuple() : () -> !cute.int_tuple<"4">
      %ptr_25 = cute.add_offset(%iter_1, %int_tuple_24) : (!cute.ptr<i64, smem>, !cute.int_tuple<"4">) -> !cute.ptr<i64, smem>
      %int_tuple_26 = cute.make_int_tuple() : () -> !cute.int_tuple<"6">
      %ptr_27 = cute.add_offset(%iter_1, %int_tuple_26) : (!cute.ptr<i64, smem>, !cute.int_tuple<"6">) -> !cute.ptr<i64, smem>
      %int_tuple_28 = cute.make_int_tuple() : () -> !cute.int_tuple<"12">
      %ptr_29 = cute.add_offset(%iter_1, %int_tuple_28) : (!cute.ptr<i64, smem>, !cute.int_tuple<"12">) -> !cute.ptr<i64, smem>
      %2 = nvvm.read.ptx.sreg.tid.x : i32
      %3 = arith.cmpi eq, %2, %c0_i32 : i32
      scf.if %3 {
        %17 = builtin.unrealized_conversion_cast %iter_1 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %17, %c1_i32 : !llvm.ptr<3>, i32
        %18 = builtin.unrealized_conversion_cast %ptr : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %18, %c15_i32 : !llvm.ptr<3>, i32
        %19 = builtin.unrealized_conversion_cast %ptr_25 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %19, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_30 = cute.make_int_tuple() : () -> !cute.int_tuple<"1">
        %ptr_31 = cute.add_offset(%iter_1, %int_tuple_30) : (!cute.ptr<i64, smem>, !cute.int_tuple<"1">) -> !cute.ptr<i64, smem>
        %20 = builtin.unrealized_conversion_cast %ptr_31 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %20, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_32 = cute.make_int_tuple() : () -> !cute.int_tuple<"3">
        %ptr_33 = cute.add_offset(%iter_1, %int_tuple_32) : (!cute.ptr<i64, smem>, !cute.int_tuple<"3">) -> !cute.ptr<i64, smem>
        %21 = builtin.unrealized_conversion_cast %ptr_33 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %21, %c15_i32 : !llvm.ptr<3>, i32
        %int_tuple_34 = cute.make_int_tuple() : () -> !cute.int_tuple<"5">
        %ptr_35 = cute.add_offset(%iter_1, %int_tuple_34) : (!cute.ptr<i64, smem>, !cute.int_tuple<"5">) -> !cute.ptr<i64, smem>
        %22 = builtin.unrealized_conversion_cast %ptr_35 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %22, %c1_i32 : !llvm.ptr<3>, i32
        %23 = builtin.unrealized_conversion_cast %ptr_27 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %23, %c1_i32 : !llvm.ptr<3>, i32
        %24 = builtin.unrealized_conversion_cast %ptr_29 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %24, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_36 = cute.make_int_tuple() : () -> !cute.int_tuple<"7">
        %ptr_37 = cute.add_offset(%iter_1, %int_tuple_36) : (!cute.ptr<i64, smem>, !cute.int_tuple<"7">) -> !cute.ptr<i64, smem>
        %25 = builtin.unrealized_conversion_cast %ptr_37 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %25, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_38 = cute.make_int_tuple() : () -> !cute.int_tuple<"13">
        %ptr_39 = cute.add_offset(%iter_1, %int_tuple_38) : (!cute.ptr<i64, smem>, !cute.int_tuple<"13">) -> !cute.ptr<i64, smem>
        %26 = builtin.unrealized_conversion_cast %ptr_39 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %26, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_40 = cute.make_int_tuple() : () -> !cute.int_tuple<"8">
        %ptr_41 = cute.add_offset(%iter_1, %int_tuple_40) : (!cute.ptr<i64, smem>, !cute.int_tuple<"8">) -> !cute.ptr<i64, smem>
        %27 = builtin.unrealized_conversion_cast %ptr_41 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %27, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_42 = cute.make_int_tuple() : () -> !cute.int_tuple<"14">
        %ptr_43 = cute.add_offset(%iter_1, %int_tuple_42) : (!cute.ptr<i64, smem>, !cute.int_tuple<"14">) -> !cute.ptr<i64, smem>
        %28 = builtin.unrealized_conversion_cast %ptr_43 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %28, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_44 = cute.make_int_tuple() : () -> !cute.int_tuple<"9">
        %ptr_45 = cute.add_offset(%iter_1, %int_tuple_44) : (!cute.ptr<i64, smem>, !cute.int_tuple<"9">) -> !cute.ptr<i64, smem>
        %29 = builtin.unrealized_conversion_cast %ptr_45 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %29, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_46 = cute.make_int_tuple() : () -> !cute.int_tuple<"15">
        %ptr_47 = cute.add_offset(%iter_1, %int_tuple_46) : (!cute.ptr<i64, smem>, !cute.int_tuple<"15">) -> !cute.ptr<i64, smem>
        %30 = builtin.unrealized_conversion_cast %ptr_47 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %30, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_48 = cute.make_int_tuple() : () -> !cute.int_tuple<"10">
        %ptr_49 = cute.add_offset(%iter_1, %int_tuple_48) : (!cute.ptr<i64, smem>, !cute.int_tuple<"10">) -> !cute.ptr<i64, smem>
        %31 = builtin.unrealized_conversion_cast %ptr_49 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %31, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_50 = cute.make_int_tuple() : () -> !cute.int_tuple<"16">
        %ptr_51 = cute.add_offset(%iter_1, %int_tuple_50) : (!cute.ptr<i64, smem>, !cute.int_tuple<"16">) -> !cute.ptr<i64, smem>
        %32 = builtin.unrealized_conversion_cast %ptr_51 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %32, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_52 = cute.make_int_tuple() : () -> !cute.int_tuple<"11">
        %ptr_53 = cute.add_offset(%iter_1, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"11">) -> !cute.ptr<i64, smem>
        %33 = builtin.unrealized_conversion_cast %ptr_53 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %33, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_54 = cute.make_int_tuple() : () -> !cute.int_tuple<"17">
        %ptr_55 = cute.add_offset(%iter_1, %int_tuple_54) : (!cute.ptr<i64, smem>, !cute.int_tuple<"17">) -> !cute.ptr<i64, smem>
        %34 = builtin.unrealized_conversion_cast %ptr_55 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %34, %c4_i32 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      nvvm.barrier
      %4 = nvvm.read.ptx.sreg.tid.y : i32
      %5 = nvvm.read.ptx.sreg.tid.z : i32
      %6 = nvvm.read.ptx.sreg.ntid.x : i32
      %7 = nvvm.read.ptx.sreg.ntid.y : i32
      %8 = arith.muli %4, %6 : i32
      %9 = arith.addi %2, %8 : i32
      %10 = arith.muli %5, %6 : i32
      %11 = arith.muli %10, %7 : i32
      %12 = arith.addi %9, %11 : i32
      %13 = arith.floordivsi %12, %c32_i32 : i32
      %14 = cute_nvgpu.arch.make_warp_uniform(%13) : i32
      %15 = cute_nvgpu.arch.make_warp_uniform(%14) : i32
      %16 = arith.cmpi slt, %15, %c4_i32 : i32
      scf.if %16 {
        nvvm.setmaxregister decrease 32
        %17 = arith.cmpi eq, %15, %c0_i32 : i32
        scf.if %17 {
          %18 = nvvm.read.ptx.sreg.laneid : i32
          %tile = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
          %div = cute.flat_divide(%arg3, %tile) : !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute.tile<"[128:1;128:1]">
          %grouped = cute.group_modes(%div) <0, 2> : (!cute.coord_tensor<"(0,0,0)", "(128,128,?,1,4):(1@1,1@0,128@1,0,1@2)">) -> !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">
          %grouped_30 = cute.group_modes(%view) <0, 2> : (!memref_smem_bf16) -> !memref_smem_bf16_2
          %shape_31 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_32 = cute.make_layout(%shape_31) : !cute.layout<"1:0">
          %coord = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg2, %coord, %lay_32, %grouped_30, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_2, !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">) -> (!memref_smem_bf16_3, !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">)
          %shape_33 = cute.make_shape() : () -> !cute.shape<"1073741824">
          %lay_34 = cute.make_layout(%shape_33) : !cute.layout<"1073741824:1">
          %view_35 = cute.make_view(%arg11, %lay_34) : !memref_gmem_i32
          %19 = cute.memref.load(%view_35, %coord) : (!memref_gmem_i32, !cute.coord<"0">) -> i32
          %20 = scf.while (%arg15 = %c1_i32, %arg16 = %c0_i32) : (i32, i32) -> i32 {
            %21 = arith.cmpi sgt, %arg15, %c0_i32 : i32
            scf.condition(%21) %arg16 : i32
          } do {
          ^bb0(%arg15: i32):
            %21 = arith.cmpi eq, %18, %c0_i32 : i32
            %22 = scf.if %21 -> (i32) {
              %38 = builtin.unrealized_conversion_cast %arg12 : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
              %39 = nvvm.atomicrmw add %38, %c1_i32 : !llvm.ptr<1>, i32
              scf.yield %39 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %23 = nvvm.shfl.sync idx %c-1_i32, %22, %c0_i32, %c31_i32 : i32 -> i32
            %24 = arith.cmpi slt, %23, %19 : i32
            %25 = arith.cmpi slt, %18, %c4_i32 : i32
            %26 = arith.andi %24, %25 : i1
            %27 = scf.if %26 -> (i32) {
              %38 = arith.extsi %23 : i32 to i64
              %39 = arith.muli %38, %c4_i64 : i64
              %int_tuple_39 = cute.make_int_tuple(%39) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_40 = cute.add_offset(%arg10, %int_tuple_39) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_41 = cute.make_view(%ptr_40, %lay_34) : !memref_gmem_i32_1
              %coord_42 = cute.make_coord(%18) : (i32) -> !cute.coord<"?">
              %40 = cute.memref.load(%view_41, %coord_42) : (!memref_gmem_i32_1, !cute.coord<"?">) -> i32
              scf.yield %40 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %28 = nvvm.shfl.sync idx %c-1_i32, %27, %c1_i32, %c31_i32 : i32 -> i32
            %29 = nvvm.shfl.sync idx %c-1_i32, %27, %c2_i32, %c31_i32 : i32 -> i32
            %30 = nvvm.shfl.sync idx %c-1_i32, %27, %c3_i32, %c31_i32 : i32 -> i32
            %31 = arith.andi %arg15, %c1_i32 : i32
            %32 = arith.shrsi %arg15, %c1_i32 : i32
            %33 = arith.andi %32, %c1_i32 : i32
            %int_tuple_36 = cute.make_int_tuple(%31) : (i32) -> !cute.int_tuple<"?">
            %ptr_37 = cute.add_offset(%ptr_25, %int_tuple_36) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_38 = cute.add_offset(%ptr, %int_tuple_36) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %34 = arith.xori %33, %c1_i32 : i32
            %35 = builtin.unrealized_conversion_cast %ptr_38 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %35, %34, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            scf.if %25 {
              %coord_39 = cute.make_coord(%18, %31) : (i32, i32) -> !cute.coord<"(?,?)">
              cute.memref.store(%view_16, %coord_39, %27) : (!memref_smem_i32, !cute.coord<"(?,?)">, i32) -> ()
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            scf.if %21 {
              %ptr_39 = cute.add_offset(%iter_1, %int_tuple_36) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %38 = builtin.unrealized_conversion_cast %ptr_39 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %39 = nvvm.mbarrier.arrive %38, %c1_i32 : !llvm.ptr<3> -> i64
              %40 = arith.cmpi sgt, %28, %c0_i32 : i32
              scf.if %40 {
                %41 = builtin.unrealized_conversion_cast %ptr_37 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %42 = nvvm.mbarrier.arrive.expect_tx %41, %c32768_i32 : !llvm.ptr<3>, i32 -> i64
              }
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            %36 = arith.cmpi sgt, %28, %c0_i32 : i32
            scf.if %36 {
              %coord_39 = cute.make_coord(%30, %29) : (i32, i32) -> !cute.coord<"(_,?,0,?)">
              %slice = cute.slice(%res_target_tensors, %coord_39) : !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">, !cute.coord<"(_,?,0,?)">
              %iter_40 = cute.get_iter(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %tup = cute.deref_arith_tuple_iter(%iter_40) : !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %e0, %e1, %e2 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,?{div=128},?)">
              %coord_41 = cute.make_coord(%31) : (i32) -> !cute.coord<"(_,?)">
              %slice_42 = cute.slice(%res_smem_tensor, %coord_41) : !memref_smem_bf16_3, !cute.coord<"(_,?)">
              %iter_43 = cute.get_iter(%slice_42) : !memref_smem_bf16_5
              %lay_44 = cute.get_layout(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %lay_45 = cute.get_layout(%slice_42) : !memref_smem_bf16_5
              %append = cute.append_to_rank<2> (%lay_44, %lay_32) : !cute.layout<"(((64,128),2)):(((1@0,1@1),64@0))">, !cute.layout<"1:0">
              %int_tuple_46 = cute.make_int_tuple(%e1, %e2) : (!cute.int_tuple<"?{div=128}">, !cute.int_tuple<"?">) -> !cute.int_tuple<"(0,?{div=128},?)">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_46) : (!cute.int_tuple<"(0,?{div=128},?)">) -> !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %view_47 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">
              %grouped_48 = cute.group_modes(%view_47) <1, 2> : (!cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">) -> !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">
              %append_49 = cute.append_to_rank<2> (%lay_45, %lay_32) : !cute.layout<"((8192,2)):((1,8192))">, !cute.layout<"1:0">
              %view_50 = cute.make_view(%iter_43, %append_49) : !memref_smem_bf16_6
              %grouped_51 = cute.group_modes(%view_50) <1, 2> : (!memref_smem_bf16_6) -> !memref_smem_bf16_7
              %38 = cute_nvgpu.atom.make_exec_tma(%arg2) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>
              %39 = cute_nvgpu.atom.set_value<tma_bar>(%38, %ptr_37) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.ptr<i64, smem>)
              cute.copy(%39, %grouped_48, %grouped_51) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">, !memref_smem_bf16_7)
            }
            %37 = arith.addi %arg15, %c1_i32 : i32
            scf.yield %28, %37 : i32, i32
          }
        } else {
          %18 = arith.subi %15, %c1_i32 : i32
          %19 = nvvm.read.ptx.sreg.laneid : i32
          %coord = cute.make_coord(%18) : (i32) -> !cute.coord<"(_,_,_,?)">
          %slice = cute.slice(%view_22, %coord) : !memref_smem_i32_1, !cute.coord<"(_,_,_,?)">
          %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
          %div = cute.flat_divide(%arg1, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
          %grouped = cute.group_modes(%div) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
          %shape_30 = cute.make_shape() : () -> !cute.shape<"((64,8,2,2),4,2,3)">
          %stride_31 = cute.make_stride() : () -> !cute.stride<"((1,64,512,1024),2048,8192,16384)">
          %lay_32 = cute.make_layout(%shape_30, %stride_31) : !cute.layout<"((64,8,2,2),4,2,3):((1,64,512,1024),2048,8192,16384)">
          %view_33 = cute.make_view(%iter_10, %lay_32) : !memref_smem_bf16_8
          %slice_34 = cute.slice(%view_33, %coord) : !memref_smem_bf16_8, !cute.coord<"(_,_,_,?)">
          %shape_35 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_36 = cute.make_layout(%shape_35) : !cute.layout<"1:0">
          %coord_37 = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg0, %coord_37, %lay_36, %slice_34, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
          %coord_38 = cute.make_coord() : () -> !cute.coord<"(_,0,0,0,_)">
          %slice_39 = cute.slice(%res_target_tensors, %coord_38) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
          %20 = arith.cmpi slt, %19, %c4_i32 : i32
          scf.if %20 {
            %coord_40 = cute.make_coord(%19) : (i32) -> !cute.coord<"(0,?,0)">
            cute.memref.store(%slice, %coord_40, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,0)">, i32) -> ()
            %coord_41 = cute.make_coord(%19) : (i32) -> !cute.coord<"(0,?,1)">
            cute.memref.store(%slice, %coord_41, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,1)">, i32) -> ()
          }
          nvvm.bar.warp.sync %c-1_i32 : i32
          %21:3 = scf.while (%arg15 = %c1_i32, %arg16 = %c0_i32, %arg17 = %18, %arg18 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
            %23 = arith.cmpi sgt, %arg15, %c0_i32 : i32
            scf.condition(%23) %arg16, %arg17, %arg18 : i32, i32, i32
          } do {
          ^bb0(%arg15: i32, %arg16: i32, %arg17: i32):
            %23 = arith.andi %arg17, %c1_i32 : i32
            %24 = arith.shrsi %arg17, %c1_i32 : i32
            %25 = arith.andi %24, %c1_i32 : i32
            %int_tuple_40 = cute.make_int_tuple(%23) : (i32) -> !cute.int_tuple<"?">
            %ptr_41 = cute.add_offset(%iter_1, %int_tuple_40) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %26 = builtin.unrealized_conversion_cast %ptr_41 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %26, %25, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %coord_42 = cute.make_coord(%23) : (i32) -> !cute.coord<"(0,?)">
            %27 = cute.memref.load(%view_16, %coord_42) : (!memref_smem_i32, !cute.coord<"(0,?)">) -> i32
            %coord_43 = cute.make_coord(%23) : (i32) -> !cute.coord<"(1,?)">
            %28 = cute.memref.load(%view_16, %coord_43) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
            %coord_44 = cute.make_coord(%23) : (i32) -> !cute.coord<"(2,?)">
            %29 = cute.memref.load(%view_16, %coord_44) : (!memref_smem_i32, !cute.coord<"(2,?)">) -> i32
            %coord_45 = cute.make_coord(%23) : (i32) -> !cute.coord<"(3,?)">
            %30 = cute.memref.load(%view_16, %coord_45) : (!memref_smem_i32, !cute.coord<"(3,?)">) -> i32
            %31:2 = scf.while (%arg18 = %arg15, %arg19 = %arg16) : (i32, i32) -> (i32, i32) {
              %35 = arith.cmpi slt, %arg19, %28 : i32
              scf.condition(%35) %arg18, %arg19 : i32, i32
            } do {
            ^bb0(%arg18: i32, %arg19: i32):
              %35 = arith.addi %27, %arg19 : i32
              %36 = arith.extsi %35 : i32 to i64
              %37 = arith.muli %36, %c4_i64 : i64
              %38 = arith.remsi %19, %c4_i32 : i32
              %39 = arith.extsi %38 : i32 to i64
              %40 = arith.addi %37, %39 : i64
              %int_tuple_46 = cute.make_int_tuple(%40) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_47 = cute.add_offset(%arg8, %int_tuple_46) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %shape_48 = cute.make_shape() : () -> !cute.shape<"1073741824">
              %lay_49 = cute.make_layout(%shape_48) : !cute.layout<"1073741824:1">
              %view_50 = cute.make_view(%ptr_47, %lay_49) : !memref_gmem_i32_1
              %41 = cute.memref.load(%view_50, %coord_37) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %ptr_51 = cute.add_offset(%arg9, %int_tuple_46) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_52 = cute.make_view(%ptr_51, %lay_49) : !memref_gmem_i32_1
              %42 = cute.memref.load(%view_52, %coord_37) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %43 = arith.cmpi ne, %arg14, %c0_i32 : i32
              %44 = arith.cmpi sge, %41, %c0_i32 : i32
              %45 = arith.andi %43, %44 : i1
              %46 = scf.if %45 -> (i32) {
                %view_136 = cute.make_view(%arg13, %lay_49) : !memref_gmem_i32
                %81 = arith.muli %41, %c4_i32 : i32
                %82 = arith.addi %81, %29 : i32
                %coord_137 = cute.make_coord(%82) : (i32) -> !cute.coord<"?">
                %83 = cute.memref.load(%view_136, %coord_137) : (!memref_gmem_i32, !cute.coord<"?">) -> i32
                scf.yield %83 : i32
              } else {
                scf.yield %c1_i32 : i32
              }
              %47 = arith.cmpi eq, %46, %c0_i32 : i32
              %48 = arith.select %47, %c-1_i32, %41 : i32
              %49 = arith.andi %arg18, %c1_i32 : i32
              %50 = arith.shrsi %arg18, %c1_i32 : i32
              %51 = arith.andi %50, %c1_i32 : i32
              %52 = arith.muli %18, %c2_i32 : i32
              %int_tuple_53 = cute.make_int_tuple(%52) : (i32) -> !cute.int_tuple<"?">
              %ptr_54 = cute.add_offset(%ptr_27, %int_tuple_53) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %int_tuple_55 = cute.make_int_tuple(%49) : (i32) -> !cute.int_tuple<"?">
              %ptr_56 = cute.add_offset(%ptr_54, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_57 = cute.add_offset(%ptr_29, %int_tuple_53) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_58 = cute.add_offset(%ptr_57, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %53 = arith.xori %51, %c1_i32 : i32
              %54 = builtin.unrealized_conversion_cast %ptr_58 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              nvvm.mbarrier.try_wait.parity %54, %53, %c10000000_i32 : !llvm.ptr<3>, i32, i32
              %55 = arith.muli %30, %c128_i32 : i32
              %56 = arith.subi %42, %55 : i32
              %57 = arith.muli %48, %c4_i32 : i32
              %58 = arith.addi %57, %29 : i32
              %59 = arith.muli %58, %c2_i32 : i32
              %60 = arith.cmpi slt, %48, %c0_i32 : i32
              %61 = arith.cmpi slt, %56, %c0_i32 : i32
              %62 = arith.extui %60 : i1 to i32
              %63 = arith.extui %61 : i1 to i32
              %64 = arith.select %60, %62, %63 : i32
              %65 = arith.cmpi ne, %64, %c0_i32 : i32
              %66 = arith.select %65, %c-1_i32, %59 : i32
              %67 = arith.select %65, %c128_i32, %56 : i32
              scf.if %20 {
                %coord_136 = cute.make_coord(%19, %49) : (i32, i32) -> !cute.coord<"(0,?,?)">
                cute.memref.store(%slice, %coord_136, %66) : (!memref_smem_i32_2, !cute.coord<"(0,?,?)">, i32) -> ()
                %coord_137 = cute.make_coord(%19, %49) : (i32, i32) -> !cute.coord<"(1,?,?)">
                cute.memref.store(%slice, %coord_137, %67) : (!memref_smem_i32_2, !cute.coord<"(1,?,?)">, i32) -> ()
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %68 = arith.cmpi eq, %19, %c0_i32 : i32
              scf.if %68 {
                %81 = builtin.unrealized_conversion_cast %ptr_56 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %82 = nvvm.mbarrier.arrive.expect_tx %81, %c16384_i32 : !llvm.ptr<3>, i32 -> i64
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %69 = nvvm.shfl.sync idx %c-1_i32, %66, %c0_i32, %c31_i32 : i32 -> i32
              %70 = arith.shrsi %69, %c1_i32 : i32
              %coord_59 = cute.make_coord(%49) : (i32) -> !cute.coord<"(_,0,?)">
              %slice_60 = cute.slice(%res_smem_tensor, %coord_59) : !memref_smem_bf16_10, !cute.coord<"(_,0,?)">
              %iter_61 = cute.get_iter(%slice_60) : !memref_smem_bf16_11
              %coord_62 = cute.make_coord(%70) : (i32) -> !cute.coord<"(_,?)">
              %slice_63 = cute.slice(%slice_39, %coord_62) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_64 = cute.get_iter(%slice_63) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_64) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_65 = cute.get_layout(%slice_63) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_66 = cute.get_layout(%slice_60) : !memref_smem_bf16_11
              %append = cute.append_to_rank<2> (%lay_65, %lay_36) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_67 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_67) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_68 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_69 = cute.group_modes(%view_68) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_70 = cute.append_to_rank<2> (%lay_66, %lay_36) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_71 = cute.make_view(%iter_61, %append_70) : !memref_smem_bf16_12
              %grouped_72 = cute.group_modes(%view_71) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %71 = cute_nvgpu.atom.make_exec_tma(%arg0) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              %72 = cute_nvgpu.atom.set_value<tma_bar>(%71, %ptr_56) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.ptr<i64, smem>)
              cute.copy(%72, %grouped_69, %grouped_72) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %73 = nvvm.shfl.sync idx %c-1_i32, %66, %c1_i32, %c31_i32 : i32 -> i32
              %74 = arith.shrsi %73, %c1_i32 : i32
              %coord_73 = cute.make_coord(%49) : (i32) -> !cute.coord<"(_,1,?)">
              %slice_74 = cute.slice(%res_smem_tensor, %coord_73) : !memref_smem_bf16_10, !cute.coord<"(_,1,?)">
              %iter_75 = cute.get_iter(%slice_74) : !memref_smem_bf16_11
              %coord_76 = cute.make_coord(%74) : (i32) -> !cute.coord<"(_,?)">
              %slice_77 = cute.slice(%slice_39, %coord_76) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_78 = cute.get_iter(%slice_77) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_79 = cute.deref_arith_tuple_iter(%iter_78) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_80, %e1_81, %e2_82, %e3_83 = cute.get_leaves(%tup_79) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_84 = cute.get_layout(%slice_77) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_85 = cute.get_layout(%slice_74) : !memref_smem_bf16_11
              %append_86 = cute.append_to_rank<2> (%lay_84, %lay_36) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_87 = cute.make_int_tuple(%e3_83) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_88 = cute.make_arith_tuple_iter(%int_tuple_87) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_89 = cute.make_view(%int_tup_iter_88, %append_86) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_90 = cute.group_modes(%view_89) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_91 = cute.append_to_rank<2> (%lay_85, %lay_36) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_92 = cute.make_view(%iter_75, %append_91) : !memref_smem_bf16_12
              %grouped_93 = cute.group_modes(%view_92) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%72, %grouped_90, %grouped_93) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %75 = nvvm.shfl.sync idx %c-1_i32, %66, %c2_i32, %c31_i32 : i32 -> i32
              %76 = arith.shrsi %75, %c1_i32 : i32
              %coord_94 = cute.make_coord(%49) : (i32) -> !cute.coord<"(_,2,?)">
              %slice_95 = cute.slice(%res_smem_tensor, %coord_94) : !memref_smem_bf16_10, !cute.coord<"(_,2,?)">
              %iter_96 = cute.get_iter(%slice_95) : !memref_smem_bf16_11
              %coord_97 = cute.make_coord(%76) : (i32) -> !cute.coord<"(_,?)">
              %slice_98 = cute.slice(%slice_39, %coord_97) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_99 = cute.get_iter(%slice_98) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_100 = cute.deref_arith_tuple_iter(%iter_99) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_101, %e1_102, %e2_103, %e3_104 = cute.get_leaves(%tup_100) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_105 = cute.get_layout(%slice_98) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_106 = cute.get_layout(%slice_95) : !memref_smem_bf16_11
              %append_107 = cute.append_to_rank<2> (%lay_105, %lay_36) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_108 = cute.make_int_tuple(%e3_104) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_109 = cute.make_arith_tuple_iter(%int_tuple_108) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_110 = cute.make_view(%int_tup_iter_109, %append_107) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_111 = cute.group_modes(%view_110) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_112 = cute.append_to_rank<2> (%lay_106, %lay_36) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_113 = cute.make_view(%iter_96, %append_112) : !memref_smem_bf16_12
              %grouped_114 = cute.group_modes(%view_113) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%72, %grouped_111, %grouped_114) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %77 = nvvm.shfl.sync idx %c-1_i32, %66, %c3_i32, %c31_i32 : i32 -> i32
              %78 = arith.shrsi %77, %c1_i32 : i32
              %coord_115 = cute.make_coord(%49) : (i32) -> !cute.coord<"(_,3,?)">
              %slice_116 = cute.slice(%res_smem_tensor, %coord_115) : !memref_smem_bf16_10, !cute.coord<"(_,3,?)">
              %iter_117 = cute.get_iter(%slice_116) : !memref_smem_bf16_11
              %coord_118 = cute.make_coord(%78) : (i32) -> !cute.coord<"(_,?)">
              %slice_119 = cute.slice(%slice_39, %coord_118) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_120 = cute.get_iter(%slice_119) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_121 = cute.deref_arith_tuple_iter(%iter_120) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_122, %e1_123, %e2_124, %e3_125 = cute.get_leaves(%tup_121) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_126 = cute.get_layout(%slice_119) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_127 = cute.get_layout(%slice_116) : !memref_smem_bf16_11
              %append_128 = cute.append_to_rank<2> (%lay_126, %lay_36) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_129 = cute.make_int_tuple(%e3_125) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_130 = cute.make_arith_tuple_iter(%int_tuple_129) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_131 = cute.make_view(%int_tup_iter_130, %append_128) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_132 = cute.group_modes(%view_131) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_133 = cute.append_to_rank<2> (%lay_127, %lay_36) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_134 = cute.make_view(%iter_117, %append_133) : !memref_smem_bf16_12
              %grouped_135 = cute.group_modes(%view_134) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%72, %grouped_132, %grouped_135) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %79 = arith.addi %arg18, %c1_i32 : i32
              %80 = arith.addi %arg19, %c3_i32 : i32
              scf.yield %79, %80 : i32, i32
            }
            %32 = arith.subi %31#1, %28 : i32
            nvvm.bar.warp.sync %c-1_i32 : i32
            %33 = arith.cmpi eq, %19, %c0_i32 : i32
            scf.if %33 {
              %ptr_46 = cute.add_offset(%ptr, %int_tuple_40) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %35 = builtin.unrealized_conversion_cast %ptr_46 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %36 = nvvm.mbarrier.arrive %35, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %34 = arith.addi %arg17, %c1_i32 : i32
            scf.yield %28, %31#0, %32, %34 : i32, i32, i32, i32
          }
          %22 = scf.for %arg15 = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%arg16 = %21#0) -> (i32)  : i32 {
            %23 = arith.andi %arg16, %c1_i32 : i32
            %24 = arith.shrsi %arg16, %c1_i32 : i32
            %25 = arith.andi %24, %c1_i32 : i32
            %26 = arith.muli %18, %c2_i32 : i32
            %int_tuple_40 = cute.make_int_tuple(%26) : (i32) -> !cute.int_tuple<"?">
            %ptr_41 = cute.add_offset(%ptr_29, %int_tuple_40) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_42 = cute.make_int_tuple(%23) : (i32) -> !cute.int_tuple<"?">
            %ptr_43 = cute.add_offset(%ptr_41, %int_tuple_42) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %27 = arith.xori %25, %c1_i32 : i32
            %28 = builtin.unrealized_conversion_cast %ptr_43 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %28, %27, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %29 = arith.addi %arg16, %c1_i32 : i32
            scf.yield %29 : i32
          } {loop_annotation = #loop_annotation}
        }
      } else {
        nvvm.setmaxregister increase 160
        %17 = arith.floordivsi %15, %c4_i32 : i32
        %18 = arith.subi %17, %c1_i32 : i32
        %19 = nvvm.read.ptx.sreg.laneid : i32
        %20:3 = scf.while (%arg15 = %c1_i32, %arg16 = %c0_i32, %arg17 = %18, %arg18 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
          %21 = arith.cmpi sgt, %arg15, %c0_i32 : i32
          scf.condition(%21) %arg16, %arg17, %arg18 : i32, i32, i32
        } do {
        ^bb0(%arg15: i32, %arg16: i32, %arg17: i32):
          %21 = arith.andi %arg17, %c1_i32 : i32
          %22 = arith.shrsi %arg17, %c1_i32 : i32
          %23 = arith.andi %22, %c1_i32 : i32
          %int_tuple_30 = cute.make_int_tuple(%21) : (i32) -> !cute.int_tuple<"?">
          %ptr_31 = cute.add_offset(%iter_1, %int_tuple_30) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
          %24 = builtin.unrealized_conversion_cast %ptr_31 : !cute.ptr<i64, smem> to !llvm.ptr<3>
          nvvm.mbarrier.try_wait.parity %24, %23, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          %coord = cute.make_coord(%21) : (i32) -> !cute.coord<"(1,?)">
          %25 = cute.memref.load(%view_16, %coord) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
          %26 = arith.cmpi slt, %arg16, %25 : i32
          scf.if %26 {
            %ptr_32 = cute.add_offset(%ptr_25, %int_tuple_30) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %31 = builtin.unrealized_conversion_cast %ptr_32 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %31, %23, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          }
          %27:2 = scf.while (%arg18 = %arg15, %arg19 = %arg16) : (i32, i32) -> (i32, i32) {
            %31 = arith.cmpi slt, %arg19, %25 : i32
            scf.condition(%31) %arg18, %arg19 : i32, i32
          } do {
          ^bb0(%arg18: i32, %arg19: i32):
            %31 = arith.andi %arg18, %c1_i32 : i32
            %32 = arith.shrsi %arg18, %c1_i32 : i32
            %33 = arith.andi %32, %c1_i32 : i32
            %34 = arith.muli %18, %c2_i32 : i32
            %int_tuple_32 = cute.make_int_tuple(%34) : (i32) -> !cute.int_tuple<"?">
            %ptr_33 = cute.add_offset(%ptr_27, %int_tuple_32) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_34 = cute.make_int_tuple(%31) : (i32) -> !cute.int_tuple<"?">
            %ptr_35 = cute.add_offset(%ptr_33, %int_tuple_34) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %35 = builtin.unrealized_conversion_cast %ptr_35 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %35, %33, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %36 = arith.remsi %15, %c4_i32 : i32
            %ptr_36 = cute.add_offset(%ptr_29, %int_tuple_32) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_37 = cute.add_offset(%ptr_36, %int_tuple_34) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %coord_38 = cute.make_coord(%36, %31, %18) : (i32, i32, i32) -> !cute.coord<"(0,?,?,?)">
            %37 = cute.memref.load(%view_22, %coord_38) : (!memref_smem_i32_1, !cute.coord<"(0,?,?,?)">) -> i32
            %coord_39 = cute.make_coord(%36, %31, %18) : (i32, i32, i32) -> !cute.coord<"(1,?,?,?)">
            %38 = cute.memref.load(%view_22, %coord_39) : (!memref_smem_i32_1, !cute.coord<"(1,?,?,?)">) -> i32
            %39 = arith.shrsi %37, %c1_i32 : i32
            %40 = arith.extsi %39 : i32 to i64
            %41 = arith.muli %40, %c16_i64 : i64
            %42 = arith.floordivsi %19, %c4_i32 : i32
            %43 = arith.extsi %42 : i32 to i64
            %44 = arith.addi %41, %43 : i64
            %atom = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>
            %45 = cute.make_tiled_mma(%atom) : !mma_bf16_bf16_f32_64x128x16
            %shape_40 = cute.make_shape() : () -> !cute.shape<"((8,8),(64,2),2,3)">
            %stride_41 = cute.make_stride() : () -> !cute.stride<"((64,1024),(1,512),8192,16384)">
            %lay_42 = cute.make_layout(%shape_40, %stride_41) : !cute.layout<"((8,8),(64,2),2,3):((64,1024),(1,512),8192,16384)">
            %view_43 = cute.make_view(%iter_10, %lay_42) : !memref_smem_bf16_14
            %coord_44 = cute.make_coord(%18) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice = cute.slice(%view_43, %coord_44) : !memref_smem_bf16_14, !cute.coord<"(_,_,_,?)">
            %coord_45 = cute.make_coord() : () -> !cute.coord<"0">
            %ptn_A = cute.tiled.mma.partition A (%45, %slice, %coord_45) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_15, !cute.coord<"0">) -> !memref_smem_bf16_16
            %frg_A = cute.mma.make_fragment A (%45, %ptn_A) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_16) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">
            %ptn_B = cute.tiled.mma.partition B (%45, %view, %coord_45) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16, !cute.coord<"0">) -> !memref_smem_bf16_17
            %frg_B = cute.mma.make_fragment B (%45, %ptn_B) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_17) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">
            %coord_46 = cute.make_coord(%31) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_47 = cute.slice(%frg_A, %coord_46) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">, !cute.coord<"(_,_,_,?)">
            %coord_48 = cute.make_coord(%21) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_49 = cute.slice(%frg_B, %coord_48) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">, !cute.coord<"(_,_,_,?)">
            %rmem = cute.memref.alloca() : !memref_rmem_f32
            nvvm.wgmma.fence.aligned
            %46 = cute_nvgpu.atom.set_value<accum_c>(%atom, %false) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_50 = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
            %slice_51 = cute.slice(%slice_47, %coord_50) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,0)">
            %slice_52 = cute.slice(%slice_49, %coord_50) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,0)">
            cute.gemm(%46, %rmem, %slice_51, %slice_52, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %47 = cute_nvgpu.atom.set_value<accum_c>(%46, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_53 = cute.make_coord() : () -> !cute.coord<"(_,_,1)">
            %slice_54 = cute.slice(%slice_47, %coord_53) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,1)">
            %slice_55 = cute.slice(%slice_49, %coord_53) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,1)">
            cute.gemm(%47, %rmem, %slice_54, %slice_55, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %48 = cute_nvgpu.atom.set_value<accum_c>(%47, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_56 = cute.make_coord() : () -> !cute.coord<"(_,_,2)">
            %slice_57 = cute.slice(%slice_47, %coord_56) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,2)">
            %slice_58 = cute.slice(%slice_49, %coord_56) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,2)">
            cute.gemm(%48, %rmem, %slice_57, %slice_58, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %49 = cute_nvgpu.atom.set_value<accum_c>(%48, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_59 = cute.make_coord() : () -> !cute.coord<"(_,_,3)">
            %slice_60 = cute.slice(%slice_47, %coord_59) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,3)">
            %slice_61 = cute.slice(%slice_49, %coord_59) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,3)">
            cute.gemm(%49, %rmem, %slice_60, %slice_61, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %50 = cute_nvgpu.atom.set_value<accum_c>(%49, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_62 = cute.make_coord() : () -> !cute.coord<"(_,_,4)">
            %slice_63 = cute.slice(%slice_47, %coord_62) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,4)">
            %slice_64 = cute.slice(%slice_49, %coord_62) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,4)">
            cute.gemm(%50, %rmem, %slice_63, %slice_64, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %51 = cute_nvgpu.atom.set_value<accum_c>(%50, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_65 = cute.make_coord() : () -> !cute.coord<"(_,_,5)">
            %slice_66 = cute.slice(%slice_47, %coord_65) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,5)">
            %slice_67 = cute.slice(%slice_49, %coord_65) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,5)">
            cute.gemm(%51, %rmem, %slice_66, %slice_67, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %52 = cute_nvgpu.atom.set_value<accum_c>(%51, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_68 = cute.make_coord() : () -> !cute.coord<"(_,_,6)">
            %slice_69 = cute.slice(%slice_47, %coord_68) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,6)">
            %slice_70 = cute.slice(%slice_49, %coord_68) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,6)">
            cute.gemm(%52, %rmem, %slice_69, %slice_70, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %53 = cute_nvgpu.atom.set_value<accum_c>(%52, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_71 = cute.make_coord() : () -> !cute.coord<"(_,_,7)">
            %slice_72 = cute.slice(%slice_47, %coord_71) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,7)">
            %slice_73 = cute.slice(%slice_49, %coord_71) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,7)">
            cute.gemm(%53, %rmem, %slice_72, %slice_73, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            nvvm.wgmma.commit.group.sync.aligned
            nvvm.wgmma.wait.group.sync.aligned 0
            nvvm.bar.warp.sync %c-1_i32 : i32
            %54 = arith.cmpi eq, %19, %c0_i32 : i32
            scf.if %54 {
              %200 = builtin.unrealized_conversion_cast %ptr_37 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %201 = nvvm.mbarrier.arrive %200, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %55 = arith.cmpi slt, %38, %c127_i32 : i32
            scf.if %55 {
              %200 = arith.remsi %19, %c4_i32 : i32
              %201 = arith.muli %200, %c2_i32 : i32
              %202 = arith.subi %38, %201 : i32
              %203 = arith.cmpi slt, %202, %c0_i32 : i32
              %204 = cute.memref.load(%rmem, %coord_45) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
              %205 = arith.select %203, %cst_0, %204 : f32
              cute.memref.store(%rmem, %coord_45, %205) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
              %206 = arith.cmpi slt, %202, %c1_i32 : i32
              %coord_137 = cute.make_coord() : () -> !cute.coord<"1">
              %207 = cute.memref.load(%rmem, %coord_137) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
              %208 = arith.select %206, %cst_0, %207 : f32
              cute.memref.store(%rmem, %coord_137, %208) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
              %coord_138 = cute.make_coord() : () -> !cute.coord<"2">
              %209 = cute.memref.load(%rmem, %coord_138) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
              %210 = arith.select %203, %cst_0, %209 : f32
              cute.memref.store(%rmem, %coord_138, %210) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
              %coord_139 = cute.make_coord() : () -> !cute.coord<"3">
              %211 = cute.memref.load(%rmem, %coord_139) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
              %212 = arith.select %206, %cst_0, %211 : f32
              cute.memref.store(%rmem, %coord_139, %212) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
              %213 = arith.cmpi slt, %202, %c8_i32 : i32
              %coord_140 = cute.make_coord() : () -> !cute.coord<"4">
              %214 = cute.memref.load(%rmem, %coord_140) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
              %215 = arith.select %213, %cst_0, %214 : f32
              cute.memref.store(%rmem, %coord_140, %215) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
              %216 = arith.cmpi slt, %202, %c9_i32 : i32
              %coord_141 = cute.make_coord() : () -> !cute.coord<"5">
              %217 = cute.memref.load(%rmem, %coord_141) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
              %218 = arith.select %216, %cst_0, %217 : f32
              cute.memref.store(%rmem, %coord_141, %218) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
              %coord_142 = cute.make_coord() : () -> !cute.coord<"6">
              %219 = cute.memref.load(%rmem, %coord_142) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
              %220 = arith.select %213, %cst_0, %219 : f32
              cute.memref.store(%rmem, %coord_142, %220) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
              %coord_143 = cute.make_coord() : () -> !cute.coord<"7">
              %221 = cute.memref.load(%rmem, %coord_143) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
              %222 = arith.select %216, %cst_0, %221 : f32
              cute.memref.store(%rmem, %coord_143, %222) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
              %223 = arith.cmpi slt, %202, %c16_i32 : i32
              %coord_144 = cute.make_coord() : () -> !cute.coord<"8">
              %224 = cute.memref.load(%rmem, %coord_144) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
              %225 = arith.select %223, %cst_0, %224 : f32
              cute.memref.store(%rmem, %coord_144, %225) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
              %226 = arith.cmpi slt, %202, %c17_i32 : i32
              %coord_145 = cute.make_coord() : () -> !cute.coord<"9">
              %227 = cute.memref.load(%rmem, %coord_145) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
              %228 = arith.select %226, %cst_0, %227 : f32
              cute.memref.store(%rmem, %coord_145, %228) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
              %coord_146 = cute.make_coord() : () -> !cute.coord<"10">
              %229 = cute.memref.load(%rmem, %coord_146) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
              %230 = arith.select %223, %cst_0, %229 : f32
              cute.memref.store(%rmem, %coord_146, %230) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
              %coord_147 = cute.make_coord() : () -> !cute.coord<"11">
              %231 = cute.memref.load(%rmem, %coord_147) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
              %232 = arith.select %226, %cst_0, %231 : f32
              cute.memref.store(%rmem, %coord_147, %232) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
              %233 = arith.cmpi slt, %202, %c24_i32 : i32
              %coord_148 = cute.make_coord() : () -> !cute.coord<"12">
              %234 = cute.memref.load(%rmem, %coord_148) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
              %235 = arith.select %233, %cst_0, %234 : f32
              cute.memref.store(%rmem, %coord_148, %235) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
              %236 = arith.cmpi slt, %202, %c25_i32 : i32
              %coord_149 = cute.make_coord() : () -> !cute.coord<"13">
              %237 = cute.memref.load(%rmem, %coord_149) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
              %238 = arith.select %236, %cst_0, %237 : f32
              cute.memref.store(%rmem, %coord_149, %238) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
              %coord_150 = cute.make_coord() : () -> !cute.coord<"14">
              %239 = cute.memref.load(%rmem, %coord_150) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
              %240 = arith.select %233, %cst_0, %239 : f32
              cute.memref.store(%rmem, %coord_150, %240) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
              %coord_151 = cute.make_coord() : () -> !cute.coord<"15">
              %241 = cute.memref.load(%rmem, %coord_151) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
              %242 = arith.select %236, %cst_0, %241 : f32
              cute.memref.store(%rmem, %coord_151, %242) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
              %243 = arith.cmpi slt, %202, %c32_i32 : i32
              %coord_152 = cute.make_coord() : () -> !cute.coord<"16">
              %244 = cute.memref.load(%rmem, %coord_152) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
              %245 = arith.select %243, %cst_0, %244 : f32
              cute.memref.store(%rmem, %coord_152, %245) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
              %246 = arith.cmpi slt, %202, %c33_i32 : i32
              %coord_153 = cute.make_coord() : () -> !cute.coord<"17">
              %247 = cute.memref.load(%rmem, %coord_153) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
              %248 = arith.select %246, %cst_0, %247 : f32
              cute.memref.store(%rmem, %coord_153, %248) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
              %coord_154 = cute.make_coord() : () -> !cute.coord<"18">
              %249 = cute.memref.load(%rmem, %coord_154) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
              %250 = arith.select %243, %cst_0, %249 : f32
              cute.memref.store(%rmem, %coord_154, %250) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
              %coord_155 = cute.make_coord() : () -> !cute.coord<"19">
              %251 = cute.memref.load(%rmem, %coord_155) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
              %252 = arith.select %246, %cst_0, %251 : f32
              cute.memref.store(%rmem, %coord_155, %252) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
              %253 = arith.cmpi slt, %202, %c40_i32 : i32
              %coord_156 = cute.make_coord() : () -> !cute.coord<"20">
              %254 = cute.memref.load(%rmem, %coord_156) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
              %255 = arith.select %253, %cst_0, %254 : f32
              cute.memref.store(%rmem, %coord_156, %255) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
              %256 = arith.cmpi slt, %202, %c41_i32 : i32
              %coord_157 = cute.make_coord() : () -> !cute.coord<"21">
              %257 = cute.memref.load(%rmem, %coord_157) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
              %258 = arith.select %256, %cst_0, %257 : f32
              cute.memref.store(%rmem, %coord_157, %258) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
              %coord_158 = cute.make_coord() : () -> !cute.coord<"22">
              %259 = cute.memref.load(%rmem, %coord_158) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
              %260 = arith.select %253, %cst_0, %259 : f32
              cute.memref.store(%rmem, %coord_158, %260) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
              %coord_159 = cute.make_coord() : () -> !cute.coord<"23">
              %261 = cute.memref.load(%rmem, %coord_159) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
              %262 = arith.select %256, %cst_0, %261 : f32
              cute.memref.store(%rmem, %coord_159, %262) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
              %263 = arith.cmpi slt, %202, %c48_i32 : i32
              %coord_160 = cute.make_coord() : () -> !cute.coord<"24">
              %264 = cute.memref.load(%rmem, %coord_160) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
              %265 = arith.select %263, %cst_0, %264 : f32
              cute.memref.store(%rmem, %coord_160, %265) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
              %266 = arith.cmpi slt, %202, %c49_i32 : i32
              %coord_161 = cute.make_coord() : () -> !cute.coord<"25">
              %267 = cute.memref.load(%rmem, %coord_161) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
              %268 = arith.select %266, %cst_0, %267 : f32
              cute.memref.store(%rmem, %coord_161, %268) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
              %coord_162 = cute.make_coord() : () -> !cute.coord<"26">
              %269 = cute.memref.load(%rmem, %coord_162) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
              %270 = arith.select %263, %cst_0, %269 : f32
              cute.memref.store(%rmem, %coord_162, %270) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
              %coord_163 = cute.make_coord() : () -> !cute.coord<"27">
              %271 = cute.memref.load(%rmem, %coord_163) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
              %272 = arith.select %266, %cst_0, %271 : f32
              cute.memref.store(%rmem, %coord_163, %272) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
              %273 = arith.cmpi slt, %202, %c56_i32 : i32
              %coord_164 = cute.make_coord() : () -> !cute.coord<"28">
              %274 = cute.memref.load(%rmem, %coord_164) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
              %275 = arith.select %273, %cst_0, %274 : f32
              cute.memref.store(%rmem, %coord_164, %275) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
              %276 = arith.cmpi slt, %202, %c57_i32 : i32
              %coord_165 = cute.make_coord() : () -> !cute.coord<"29">
              %277 = cute.memref.load(%rmem, %coord_165) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
              %278 = arith.select %276, %cst_0, %277 : f32
              cute.memref.store(%rmem, %coord_165, %278) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
              %coord_166 = cute.make_coord() : () -> !cute.coord<"30">
              %279 = cute.memref.load(%rmem, %coord_166) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
              %280 = arith.select %273, %cst_0, %279 : f32
              cute.memref.store(%rmem, %coord_166, %280) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
              %coord_167 = cute.make_coord() : () -> !cute.coord<"31">
              %281 = cute.memref.load(%rmem, %coord_167) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
              %282 = arith.select %276, %cst_0, %281 : f32
              cute.memref.store(%rmem, %coord_167, %282) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
              %283 = arith.cmpi slt, %202, %c64_i32 : i32
              %coord_168 = cute.make_coord() : () -> !cute.coord<"32">
              %284 = cute.memref.load(%rmem, %coord_168) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
              %285 = arith.select %283, %cst_0, %284 : f32
              cute.memref.store(%rmem, %coord_168, %285) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
              %286 = arith.cmpi slt, %202, %c65_i32 : i32
              %coord_169 = cute.make_coord() : () -> !cute.coord<"33">
              %287 = cute.memref.load(%rmem, %coord_169) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
              %288 = arith.select %286, %cst_0, %287 : f32
              cute.memref.store(%rmem, %coord_169, %288) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
              %coord_170 = cute.make_coord() : () -> !cute.coord<"34">
              %289 = cute.memref.load(%rmem, %coord_170) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
              %290 = arith.select %283, %cst_0, %289 : f32
              cute.memref.store(%rmem, %coord_170, %290) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
              %coord_171 = cute.make_coord() : () -> !cute.coord<"35">
              %291 = cute.memref.load(%rmem, %coord_171) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
              %292 = arith.select %286, %cst_0, %291 : f32
              cute.memref.store(%rmem, %coord_171, %292) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
              %293 = arith.cmpi slt, %202, %c72_i32 : i32
              %coord_172 = cute.make_coord() : () -> !cute.coord<"36">
              %294 = cute.memref.load(%rmem, %coord_172) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
              %295 = arith.select %293, %cst_0, %294 : f32
              cute.memref.store(%rmem, %coord_172, %295) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
              %296 = arith.cmpi slt, %202, %c73_i32 : i32
              %coord_173 = cute.make_coord() : () -> !cute.coord<"37">
              %297 = cute.memref.load(%rmem, %coord_173) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
              %298 = arith.select %296, %cst_0, %297 : f32
              cute.memref.store(%rmem, %coord_173, %298) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
              %coord_174 = cute.make_coord() : () -> !cute.coord<"38">
              %299 = cute.memref.load(%rmem, %coord_174) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
              %300 = arith.select %293, %cst_0, %299 : f32
              cute.memref.store(%rmem, %coord_174, %300) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
              %coord_175 = cute.make_coord() : () -> !cute.coord<"39">
              %301 = cute.memref.load(%rmem, %coord_175) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
              %302 = arith.select %296, %cst_0, %301 : f32
              cute.memref.store(%rmem, %coord_175, %302) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
              %303 = arith.cmpi slt, %202, %c80_i32 : i32
              %coord_176 = cute.make_coord() : () -> !cute.coord<"40">
              %304 = cute.memref.load(%rmem, %coord_176) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
              %305 = arith.select %303, %cst_0, %304 : f32
              cute.memref.store(%rmem, %coord_176, %305) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
              %306 = arith.cmpi slt, %202, %c81_i32 : i32
              %coord_177 = cute.make_coord() : () -> !cute.coord<"41">
              %307 = cute.memref.load(%rmem, %coord_177) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
              %308 = arith.select %306, %cst_0, %307 : f32
              cute.memref.store(%rmem, %coord_177, %308) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
              %coord_178 = cute.make_coord() : () -> !cute.coord<"42">
              %309 = cute.memref.load(%rmem, %coord_178) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
              %310 = arith.select %303, %cst_0, %309 : f32
              cute.memref.store(%rmem, %coord_178, %310) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
              %coord_179 = cute.make_coord() : () -> !cute.coord<"43">
              %311 = cute.memref.load(%rmem, %coord_179) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
              %312 = arith.select %306, %cst_0, %311 : f32
              cute.memref.store(%rmem, %coord_179, %312) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
              %313 = arith.cmpi slt, %202, %c88_i32 : i32
              %coord_180 = cute.make_coord() : () -> !cute.coord<"44">
              %314 = cute.memref.load(%rmem, %coord_180) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
              %315 = arith.select %313, %cst_0, %314 : f32
              cute.memref.store(%rmem, %coord_180, %315) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
              %316 = arith.cmpi slt, %202, %c89_i32 : i32
              %coord_181 = cute.make_coord() : () -> !cute.coord<"45">
              %317 = cute.memref.load(%rmem, %coord_181) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
              %318 = arith.select %316, %cst_0, %317 : f32
              cute.memref.store(%rmem, %coord_181, %318) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
              %coord_182 = cute.make_coord() : () -> !cute.coord<"46">
              %319 = cute.memref.load(%rmem, %coord_182) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
              %320 = arith.select %313, %cst_0, %319 : f32
              cute.memref.store(%rmem, %coord_182, %320) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
              %coord_183 = cute.make_coord() : () -> !cute.coord<"47">
              %321 = cute.memref.load(%rmem, %coord_183) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
              %322 = arith.select %316, %cst_0, %321 : f32
              cute.memref.store(%rmem, %coord_183, %322) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
              %323 = arith.cmpi slt, %202, %c96_i32 : i32
              %coord_184 = cute.make_coord() : () -> !cute.coord<"48">
              %324 = cute.memref.load(%rmem, %coord_184) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
              %325 = arith.select %323, %cst_0, %324 : f32
              cute.memref.store(%rmem, %coord_184, %325) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
              %326 = arith.cmpi slt, %202, %c97_i32 : i32
              %coord_185 = cute.make_coord() : () -> !cute.coord<"49">
              %327 = cute.memref.load(%rmem, %coord_185) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
              %328 = arith.select %326, %cst_0, %327 : f32
              cute.memref.store(%rmem, %coord_185, %328) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
              %coord_186 = cute.make_coord() : () -> !cute.coord<"50">
              %329 = cute.memref.load(%rmem, %coord_186) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
              %330 = arith.select %323, %cst_0, %329 : f32
              cute.memref.store(%rmem, %coord_186, %330) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
              %coord_187 = cute.make_coord() : () -> !cute.coord<"51">
              %331 = cute.memref.load(%rmem, %coord_187) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
              %332 = arith.select %326, %cst_0, %331 : f32
              cute.memref.store(%rmem, %coord_187, %332) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
              %333 = arith.cmpi slt, %202, %c104_i32 : i32
              %coord_188 = cute.make_coord() : () -> !cute.coord<"52">
              %334 = cute.memref.load(%rmem, %coord_188) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
              %335 = arith.select %333, %cst_0, %334 : f32
              cute.memref.store(%rmem, %coord_188, %335) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
              %336 = arith.cmpi slt, %202, %c105_i32 : i32
              %coord_189 = cute.make_coord() : () -> !cute.coord<"53">
              %337 = cute.memref.load(%rmem, %coord_189) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
              %338 = arith.select %336, %cst_0, %337 : f32
              cute.memref.store(%rmem, %coord_189, %338) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
              %coord_190 = cute.make_coord() : () -> !cute.coord<"54">
              %339 = cute.memref.load(%rmem, %coord_190) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
              %340 = arith.select %333, %cst_0, %339 : f32
              cute.memref.store(%rmem, %coord_190, %340) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
              %coord_191 = cute.make_coord() : () -> !cute.coord<"55">
              %341 = cute.memref.load(%rmem, %coord_191) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
              %342 = arith.select %336, %cst_0, %341 : f32
              cute.memref.store(%rmem, %coord_191, %342) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
              %343 = arith.cmpi slt, %202, %c112_i32 : i32
              %coord_192 = cute.make_coord() : () -> !cute.coord<"56">
              %344 = cute.memref.load(%rmem, %coord_192) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
              %345 = arith.select %343, %cst_0, %344 : f32
              cute.memref.store(%rmem, %coord_192, %345) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
              %346 = arith.cmpi slt, %202, %c113_i32 : i32
              %coord_193 = cute.make_coord() : () -> !cute.coord<"57">
              %347 = cute.memref.load(%rmem, %coord_193) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
              %348 = arith.select %346, %cst_0, %347 : f32
              cute.memref.store(%rmem, %coord_193, %348) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
              %coord_194 = cute.make_coord() : () -> !cute.coord<"58">
              %349 = cute.memref.load(%rmem, %coord_194) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
              %350 = arith.select %343, %cst_0, %349 : f32
              cute.memref.store(%rmem, %coord_194, %350) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
              %coord_195 = cute.make_coord() : () -> !cute.coord<"59">
              %351 = cute.memref.load(%rmem, %coord_195) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
              %352 = arith.select %346, %cst_0, %351 : f32
              cute.memref.store(%rmem, %coord_195, %352) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
              %353 = arith.cmpi slt, %202, %c120_i32 : i32
              %coord_196 = cute.make_coord() : () -> !cute.coord<"60">
              %354 = cute.memref.load(%rmem, %coord_196) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
              %355 = arith.select %353, %cst_0, %354 : f32
              cute.memref.store(%rmem, %coord_196, %355) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
              %356 = arith.cmpi slt, %202, %c121_i32 : i32
              %coord_197 = cute.make_coord() : () -> !cute.coord<"61">
              %357 = cute.memref.load(%rmem, %coord_197) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
              %358 = arith.select %356, %cst_0, %357 : f32
              cute.memref.store(%rmem, %coord_197, %358) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
              %coord_198 = cute.make_coord() : () -> !cute.coord<"62">
              %359 = cute.memref.load(%rmem, %coord_198) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
              %360 = arith.select %353, %cst_0, %359 : f32
              cute.memref.store(%rmem, %coord_198, %360) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
              %coord_199 = cute.make_coord() : () -> !cute.coord<"63">
              %361 = cute.memref.load(%rmem, %coord_199) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
              %362 = arith.select %356, %cst_0, %361 : f32
              cute.memref.store(%rmem, %coord_199, %362) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
            }
            %56 = arith.remsi %19, %c2_i32 : i32
            %57 = arith.muli %56, %c8_i32 : i32
            %58 = arith.extsi %57 : i32 to i64
            %59 = arith.addi %44, %58 : i64
            %60 = cute.memref.load(%rmem, %coord_45) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %coord_74 = cute.make_coord() : () -> !cute.coord<"1">
            %61 = cute.memref.load(%rmem, %coord_74) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %coord_75 = cute.make_coord() : () -> !cute.coord<"2">
            %62 = cute.memref.load(%rmem, %coord_75) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %coord_76 = cute.make_coord() : () -> !cute.coord<"3">
            %63 = cute.memref.load(%rmem, %coord_76) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %coord_77 = cute.make_coord() : () -> !cute.coord<"4">
            %64 = cute.memref.load(%rmem, %coord_77) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %coord_78 = cute.make_coord() : () -> !cute.coord<"5">
            %65 = cute.memref.load(%rmem, %coord_78) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %coord_79 = cute.make_coord() : () -> !cute.coord<"6">
            %66 = cute.memref.load(%rmem, %coord_79) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %coord_80 = cute.make_coord() : () -> !cute.coord<"7">
            %67 = cute.memref.load(%rmem, %coord_80) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %coord_81 = cute.make_coord() : () -> !cute.coord<"8">
            %68 = cute.memref.load(%rmem, %coord_81) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %69 = nvvm.fmax nan %60, %68
            %coord_82 = cute.make_coord() : () -> !cute.coord<"9">
            %70 = cute.memref.load(%rmem, %coord_82) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %71 = nvvm.fmax nan %61, %70
            %coord_83 = cute.make_coord() : () -> !cute.coord<"10">
            %72 = cute.memref.load(%rmem, %coord_83) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %73 = nvvm.fmax nan %62, %72
            %coord_84 = cute.make_coord() : () -> !cute.coord<"11">
            %74 = cute.memref.load(%rmem, %coord_84) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %75 = nvvm.fmax nan %63, %74
            %coord_85 = cute.make_coord() : () -> !cute.coord<"12">
            %76 = cute.memref.load(%rmem, %coord_85) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %77 = nvvm.fmax nan %64, %76
            %coord_86 = cute.make_coord() : () -> !cute.coord<"13">
            %78 = cute.memref.load(%rmem, %coord_86) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %79 = nvvm.fmax nan %65, %78
            %coord_87 = cute.make_coord() : () -> !cute.coord<"14">
            %80 = cute.memref.load(%rmem, %coord_87) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %81 = nvvm.fmax nan %66, %80
            %coord_88 = cute.make_coord() : () -> !cute.coord<"15">
            %82 = cute.memref.load(%rmem, %coord_88) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %83 = nvvm.fmax nan %67, %82
            %coord_89 = cute.make_coord() : () -> !cute.coord<"16">
            %84 = cute.memref.load(%rmem, %coord_89) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %85 = nvvm.fmax nan %69, %84
            %coord_90 = cute.make_coord() : () -> !cute.coord<"17">
            %86 = cute.memref.load(%rmem, %coord_90) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %87 = nvvm.fmax nan %71, %86
            %coord_91 = cute.make_coord() : () -> !cute.coord<"18">
            %88 = cute.memref.load(%rmem, %coord_91) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %89 = nvvm.fmax nan %73, %88
            %coord_92 = cute.make_coord() : () -> !cute.coord<"19">
            %90 = cute.memref.load(%rmem, %coord_92) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %91 = nvvm.fmax nan %75, %90
            %coord_93 = cute.make_coord() : () -> !cute.coord<"20">
            %92 = cute.memref.load(%rmem, %coord_93) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %93 = nvvm.fmax nan %77, %92
            %coord_94 = cute.make_coord() : () -> !cute.coord<"21">
            %94 = cute.memref.load(%rmem, %coord_94) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %95 = nvvm.fmax nan %79, %94
            %coord_95 = cute.make_coord() : () -> !cute.coord<"22">
            %96 = cute.memref.load(%rmem, %coord_95) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %97 = nvvm.fmax nan %81, %96
            %coord_96 = cute.make_coord() : () -> !cute.coord<"23">
            %98 = cute.memref.load(%rmem, %coord_96) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %99 = nvvm.fmax nan %83, %98
            %coord_97 = cute.make_coord() : () -> !cute.coord<"24">
            %100 = cute.memref.load(%rmem, %coord_97) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %101 = nvvm.fmax nan %85, %100
            %coord_98 = cute.make_coord() : () -> !cute.coord<"25">
            %102 = cute.memref.load(%rmem, %coord_98) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %103 = nvvm.fmax nan %87, %102
            %coord_99 = cute.make_coord() : () -> !cute.coord<"26">
            %104 = cute.memref.load(%rmem, %coord_99) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %105 = nvvm.fmax nan %89, %104
            %coord_100 = cute.make_coord() : () -> !cute.coord<"27">
            %106 = cute.memref.load(%rmem, %coord_100) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %107 = nvvm.fmax nan %91, %106
            %coord_101 = cute.make_coord() : () -> !cute.coord<"28">
            %108 = cute.memref.load(%rmem, %coord_101) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %109 = nvvm.fmax nan %93, %108
            %coord_102 = cute.make_coord() : () -> !cute.coord<"29">
            %110 = cute.memref.load(%rmem, %coord_102) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %111 = nvvm.fmax nan %95, %110
            %coord_103 = cute.make_coord() : () -> !cute.coord<"30">
            %112 = cute.memref.load(%rmem, %coord_103) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %113 = nvvm.fmax nan %97, %112
            %coord_104 = cute.make_coord() : () -> !cute.coord<"31">
            %114 = cute.memref.load(%rmem, %coord_104) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %115 = nvvm.fmax nan %99, %114
            %coord_105 = cute.make_coord() : () -> !cute.coord<"32">
            %116 = cute.memref.load(%rmem, %coord_105) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %117 = nvvm.fmax nan %101, %116
            %coord_106 = cute.make_coord() : () -> !cute.coord<"33">
            %118 = cute.memref.load(%rmem, %coord_106) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %119 = nvvm.fmax nan %103, %118
            %coord_107 = cute.make_coord() : () -> !cute.coord<"34">
            %120 = cute.memref.load(%rmem, %coord_107) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %121 = nvvm.fmax nan %105, %120
            %coord_108 = cute.make_coord() : () -> !cute.coord<"35">
            %122 = cute.memref.load(%rmem, %coord_108) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %123 = nvvm.fmax nan %107, %122
            %coord_109 = cute.make_coord() : () -> !cute.coord<"36">
            %124 = cute.memref.load(%rmem, %coord_109) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %125 = nvvm.fmax nan %109, %124
            %coord_110 = cute.make_coord() : () -> !cute.coord<"37">
            %126 = cute.memref.load(%rmem, %coord_110) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %127 = nvvm.fmax nan %111, %126
            %coord_111 = cute.make_coord() : () -> !cute.coord<"38">
            %128 = cute.memref.load(%rmem, %coord_111) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %129 = nvvm.fmax nan %113, %128
            %coord_112 = cute.make_coord() : () -> !cute.coord<"39">
            %130 = cute.memref.load(%rmem, %coord_112) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %131 = nvvm.fmax nan %115, %130
            %coord_113 = cute.make_coord() : () -> !cute.coord<"40">
            %132 = cute.memref.load(%rmem, %coord_113) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %133 = nvvm.fmax nan %117, %132
            %coord_114 = cute.make_coord() : () -> !cute.coord<"41">
            %134 = cute.memref.load(%rmem, %coord_114) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %135 = nvvm.fmax nan %119, %134
            %coord_115 = cute.make_coord() : () -> !cute.coord<"42">
            %136 = cute.memref.load(%rmem, %coord_115) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %137 = nvvm.fmax nan %121, %136
            %coord_116 = cute.make_coord() : () -> !cute.coord<"43">
            %138 = cute.memref.load(%rmem, %coord_116) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %139 = nvvm.fmax nan %123, %138
            %coord_117 = cute.make_coord() : () -> !cute.coord<"44">
            %140 = cute.memref.load(%rmem, %coord_117) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %141 = nvvm.fmax nan %125, %140
            %coord_118 = cute.make_coord() : () -> !cute.coord<"45">
            %142 = cute.memref.load(%rmem, %coord_118) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %143 = nvvm.fmax nan %127, %142
            %coord_119 = cute.make_coord() : () -> !cute.coord<"46">
            %144 = cute.memref.load(%rmem, %coord_119) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %145 = nvvm.fmax nan %129, %144
            %coord_120 = cute.make_coord() : () -> !cute.coord<"47">
            %146 = cute.memref.load(%rmem, %coord_120) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %147 = nvvm.fmax nan %131, %146
            %coord_121 = cute.make_coord() : () -> !cute.coord<"48">
            %148 = cute.memref.load(%rmem, %coord_121) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %149 = nvvm.fmax nan %133, %148
            %coord_122 = cute.make_coord() : () -> !cute.coord<"49">
            %150 = cute.memref.load(%rmem, %coord_122) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %151 = nvvm.fmax nan %135, %150
            %coord_123 = cute.make_coord() : () -> !cute.coord<"50">
            %152 = cute.memref.load(%rmem, %coord_123) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %153 = nvvm.fmax nan %137, %152
            %coord_124 = cute.make_coord() : () -> !cute.coord<"51">
            %154 = cute.memref.load(%rmem, %coord_124) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %155 = nvvm.fmax nan %139, %154
            %coord_125 = cute.make_coord() : () -> !cute.coord<"52">
            %156 = cute.memref.load(%rmem, %coord_125) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %157 = nvvm.fmax nan %141, %156
            %coord_126 = cute.make_coord() : () -> !cute.coord<"53">
            %158 = cute.memref.load(%rmem, %coord_126) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %159 = nvvm.fmax nan %143, %158
            %coord_127 = cute.make_coord() : () -> !cute.coord<"54">
            %160 = cute.memref.load(%rmem, %coord_127) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %161 = nvvm.fmax nan %145, %160
            %coord_128 = cute.make_coord() : () -> !cute.coord<"55">
            %162 = cute.memref.load(%rmem, %coord_128) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %163 = nvvm.fmax nan %147, %162
            %coord_129 = cute.make_coord() : () -> !cute.coord<"56">
            %164 = cute.memref.load(%rmem, %coord_129) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %165 = nvvm.fmax nan %149, %164
            %coord_130 = cute.make_coord() : () -> !cute.coord<"57">
            %166 = cute.memref.load(%rmem, %coord_130) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %167 = nvvm.fmax nan %151, %166
            %coord_131 = cute.make_coord() : () -> !cute.coord<"58">
            %168 = cute.memref.load(%rmem, %coord_131) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %169 = nvvm.fmax nan %153, %168
            %coord_132 = cute.make_coord() : () -> !cute.coord<"59">
            %170 = cute.memref.load(%rmem, %coord_132) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %171 = nvvm.fmax nan %155, %170
            %coord_133 = cute.make_coord() : () -> !cute.coord<"60">
            %172 = cute.memref.load(%rmem, %coord_133) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %173 = nvvm.fmax nan %157, %172
            %coord_134 = cute.make_coord() : () -> !cute.coord<"61">
            %174 = cute.memref.load(%rmem, %coord_134) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %175 = nvvm.fmax nan %159, %174
            %coord_135 = cute.make_coord() : () -> !cute.coord<"62">
            %176 = cute.memref.load(%rmem, %coord_135) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %177 = nvvm.fmax nan %161, %176
            %coord_136 = cute.make_coord() : () -> !cute.coord<"63">
            %178 = cute.memref.load(%rmem, %coord_136) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %179 = nvvm.fmax nan %163, %178
            %180 = nvvm.fmax nan %165, %167
            %181 = nvvm.fmax nan %173, %175
            %182 = nvvm.fmax nan %180, %181
            %183 = nvvm.fmax nan %169, %171
            %184 = nvvm.fmax nan %177, %179
            %185 = nvvm.fmax nan %183, %184
            %186 = arith.cmpi eq, %56, %c1_i32 : i32
            %187 = arith.select %186, %185, %182 : f32
            %188 = arith.select %186, %182, %185 : f32
            %189 = nvvm.shfl.sync bfly %c-1_i32, %188, %c1_i32, %c31_i32 : f32 -> f32
            %190 = nvvm.fmax nan %187, %189
            %191 = nvvm.shfl.sync bfly %c-1_i32, %190, %c2_i32, %c31_i32 : f32 -> f32
            %192 = nvvm.fmax nan %190, %191
            %193 = arith.mulf %192, %cst : f32
            %194 = arith.cmpi sge, %37, %c0_i32 : i32
            %195 = arith.remsi %19, %c4_i32 : i32
            %196 = arith.cmpi slt, %195, %c2_i32 : i32
            %197 = arith.andi %194, %196 : i1
            scf.if %197 {
              %int_tuple_137 = cute.make_int_tuple(%59) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_138 = cute.add_offset(%arg6, %int_tuple_137) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %200 = arith.bitcast %193 : f32 to i32
              %201 = arith.shrsi %200, %c31_i32 : i32
              %202 = arith.andi %201, %c2147483647_i32 : i32
              %203 = arith.xori %200, %202 : i32
              %204 = builtin.unrealized_conversion_cast %ptr_138 : !cute.ptr<i32, gmem> to !llvm.ptr<1>
              nvvm.red %204, %203 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<max>, type = #nvvm.red_type<s32>} : !llvm.ptr<1>, i32
            }
            %198 = arith.addi %arg18, %c1_i32 : i32
            %199 = arith.addi %arg19, %c3_i32 : i32
            scf.yield %198, %199 : i32, i32
          }
          %28 = arith.subi %27#1, %25 : i32
          nvvm.bar.warp.sync %c-1_i32 : i32
          %29 = arith.cmpi eq, %19, %c0_i32 : i32
          scf.if %29 {
            %ptr_32 = cute.add_offset(%ptr, %int_tuple_30) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %31 = builtin.unrealized_conversion_cast %ptr_32 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            %32 = nvvm.mbarrier.arrive %31, %c1_i32 : !llvm.ptr<3> -> i64
          }
          %30 = arith.addi %arg17, %c1_i32 : i32
          scf.yield %25, %27#0, %28, %30 : i32, i32, i32, i32
        }
      }
      return
    }
    cuda.kernel @msa_attention_forward_2(%arg0: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg1: !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, %arg2: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg3: !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, %arg4: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN> {cute_nvgpu.grid_constant}, %arg5: !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, %arg6: !cute.ptr<bf16, gmem, align<16>>, %arg7: !cute.ptr<f32, gmem, align<16>>, %arg8: !cute.ptr<i32, gmem, align<16>>, %arg9: !cute.ptr<f32, gmem, align<16>>, %arg10: !cute.ptr<i32, gmem, align<16>>, %arg11: !cute.ptr<i32, gmem, align<16>>, %arg12: !cute.ptr<i32, gmem, align<16>>, %arg13: !cute.ptr<i32, gmem, align<16>>, %arg14: !cute.ptr<i32, gmem, align<16>>, %arg15: !cute.ptr<i32, gmem, align<16>>, %arg16: i32) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, cutlass_launch_facts = {cluster_launch = false, cooperative_launch = false, exact_block_dim = array<i64: 512, 1, 1>, schema_version = 1 : i64}, gpu.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 512, 1, 1>, smem.hint_smem_base_uniform, smem.partition_num = 2 : i32} {
      %cst = arith.constant 1.08447923E+9 : f32
      %c4096_i64 = arith.constant 4096 : i64
      %c8192_i64 = arith.constant 8192 : i64
      %c4096_i32 = arith.constant 4096 : i32
      %cst_0 = arith.constant 0.127517432 : f32
      %cst_1 = arith.constant 1.100000e+01 : f32
      %c2147483647_i32 = arith.constant 2147483647 : i32
      %c121_i32 = arith.constant 121 : i32
      %c120_i32 = arith.constant 120 : i32
      %c113_i32 = arith.constant 113 : i32
      %c112_i32 = arith.constant 112 : i32
      %c105_i32 = arith.constant 105 : i32
      %c104_i32 = arith.constant 104 : i32
      %c97_i32 = arith.constant 97 : i32
      %c96_i32 = arith.constant 96 : i32
      %c89_i32 = arith.constant 89 : i32
      %c88_i32 = arith.constant 88 : i32
      %c81_i32 = arith.constant 81 : i32
      %c80_i32 = arith.constant 80 : i32
      %c73_i32 = arith.constant 73 : i32
      %c72_i32 = arith.constant 72 : i32
      %c65_i32 = arith.constant 65 : i32
      %c64_i32 = arith.constant 64 : i32
      %c57_i32 = arith.constant 57 : i32
      %c56_i32 = arith.constant 56 : i32
      %c49_i32 = arith.constant 49 : i32
      %c48_i32 = arith.constant 48 : i32
      %c41_i32 = arith.constant 41 : i32
      %c40_i32 = arith.constant 40 : i32
      %c33_i32 = arith.constant 33 : i32
      %c25_i32 = arith.constant 25 : i32
      %c24_i32 = arith.constant 24 : i32
      %c17_i32 = arith.constant 17 : i32
      %c16_i32 = arith.constant 16 : i32
      %c9_i32 = arith.constant 9 : i32
      %c8_i32 = arith.constant 8 : i32
      %cst_2 = arith.constant 0xFF800000 : f32
      %c127_i32 = arith.constant 127 : i32
      %true = arith.constant true
      %false = arith.constant false
      %c0_i64 = arith.constant 0 : i64
      %c16_i64 = arith.constant 16 : i64
      %cst_3 = arith.constant 1.07374182E+9 : f32
      %cst_4 = arith.constant 8.07793567E-28 : f32
      %c16384_i32 = arith.constant 16384 : i32
      %c128_i32 = arith.constant 128 : i32
      %c65536_i32 = arith.constant 65536 : i32
      %c10000000_i32 = arith.constant 10000000 : i32
      %c3_i32 = arith.constant 3 : i32
      %c2_i32 = arith.constant 2 : i32
      %c4_i64 = arith.constant 4 : i64
      %c31_i32 = arith.constant 31 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c32_i32 = arith.constant 32 : i32
      %c4_i32 = arith.constant 4 : i32
      %c15_i32 = arith.constant 15 : i32
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %0 = cute.static : !cute.swizzle<"S<3,4,3>">
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8
      %iter = cute.get_iter(%smem) : !memref_smem_i8
      %iter_5 = cute.recast_iter(%iter) : !cute.ptr<i8, smem, align<8>> to !cute.ptr<i64, smem>
      %shape = cute.make_shape() : () -> !cute.shape<"(8,64)">
      %stride = cute.make_stride() : () -> !cute.stride<"(64,1)">
      %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(8,64):(64,1)">
      %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
      %lay_6 = cute.make_composed_layout(%0, %int_tuple, %lay) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
      %shape_7 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
      %int_tuple_8 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
      %tile_to_shape = cute.tile_to_shape(%lay_6, %shape_7, %int_tuple_8) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %1 = cute.composed_get_outer(%tile_to_shape) : (!cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">) -> !cute.layout<"((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %smem_9 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
      %iter_10 = cute.get_iter(%smem_9) : !memref_smem_i8_1
      %iter_11 = cute.recast_iter(%iter_10) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %view = cute.make_view(%iter_11, %1) : !memref_smem_bf16
      %shape_12 = cute.make_shape() : () -> !cute.shape<"(64,8)">
      %stride_13 = cute.make_stride() : () -> !cute.stride<"(1,64)">
      %lay_14 = cute.make_layout(%shape_12, %stride_13) : !cute.layout<"(64,8):(1,64)">
      %lay_15 = cute.make_composed_layout(%0, %int_tuple, %lay_14) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">
      %int_tuple_16 = cute.make_int_tuple() : () -> !cute.int_tuple<"(1,0,2)">
      %tile_to_shape_17 = cute.tile_to_shape(%lay_15, %shape_7, %int_tuple_16) : (!cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(1,0,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
      %2 = cute.composed_get_outer(%tile_to_shape_17) : (!cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">) -> !cute.layout<"((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
      %smem_18 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
      %iter_19 = cute.get_iter(%smem_18) : !memref_smem_i8_1
      %iter_20 = cute.recast_iter(%iter_19) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %view_21 = cute.make_view(%iter_20, %2) : !memref_smem_bf16_1
      %smem_22 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_2
      %iter_23 = cute.get_iter(%smem_22) : !memref_smem_i8_2
      %iter_24 = cute.recast_iter(%iter_23) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>
      %shape_25 = cute.make_shape() : () -> !cute.shape<"(4,2)">
      %lay_26 = cute.make_layout(%shape_25) : !cute.layout<"(4,2):(1,4)">
      %smem_27 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_3
      %iter_28 = cute.get_iter(%smem_27) : !memref_smem_i8_3
      %iter_29 = cute.recast_iter(%iter_28) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_30 = cute.make_view(%iter_29, %lay_26) : !memref_smem_i32
      %shape_31 = cute.make_shape() : () -> !cute.shape<"(2,4,2,3)">
      %lay_32 = cute.make_layout(%shape_31) : !cute.layout<"(2,4,2,3):(1,2,8,16)">
      %smem_33 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_4
      %iter_34 = cute.get_iter(%smem_33) : !memref_smem_i8_4
      %iter_35 = cute.recast_iter(%iter_34) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
      %view_36 = cute.make_view(%iter_35, %lay_32) : !memref_smem_i32_1
      %int_tuple_37 = cute.make_int_tuple() : () -> !cute.int_tuple<"2">
      %ptr = cute.add_offset(%iter_5, %int_tuple_37) : (!cute.ptr<i64, smem>, !cute.int_tuple<"2">) -> !cute.ptr<i64, smem>
      %int_tuple_38 = cute.make_int_tuple() : () -> !cute.int_tuple<"4">
      %ptr_39 = cute.add_offset(%iter_5, %int_tuple_38) : (!cute.ptr<i64, smem>, !cute.int_tuple<"4">) -> !cute.ptr<i64, smem>
      %int_tuple_40 = cute.make_int_tuple() : () -> !cute.int_tuple<"6">
      %ptr_41 = cute.add_offset(%iter_5, %int_tuple_40) : (!cute.ptr<i64, smem>, !cute.int_tuple<"6">) -> !cute.ptr<i64, smem>
      %int_tuple_42 = cute.make_int_tuple() : () -> !cute.int_tuple<"12">
      %ptr_43 = cute.add_offset(%iter_5, %int_tuple_42) : (!cute.ptr<i64, smem>, !cute.int_tuple<"12">) -> !cute.ptr<i64, smem>
      %3 = nvvm.read.ptx.sreg.tid.x : i32
      %4 = arith.cmpi eq, %3, %c0_i32 : i32
      scf.if %4 {
        %18 = builtin.unrealized_conversion_cast %iter_5 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %18, %c1_i32 : !llvm.ptr<3>, i32
        %19 = builtin.unrealized_conversion_cast %ptr : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %19, %c15_i32 : !llvm.ptr<3>, i32
        %20 = builtin.unrealized_conversion_cast %ptr_39 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %20, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_44 = cute.make_int_tuple() : () -> !cute.int_tuple<"1">
        %ptr_45 = cute.add_offset(%iter_5, %int_tuple_44) : (!cute.ptr<i64, smem>, !cute.int_tuple<"1">) -> !cute.ptr<i64, smem>
        %21 = builtin.unrealized_conversion_cast %ptr_45 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %21, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_46 = cute.make_int_tuple() : () -> !cute.int_tuple<"3">
        %ptr_47 = cute.add_offset(%iter_5, %int_tuple_46) : (!cute.ptr<i64, smem>, !cute.int_tuple<"3">) -> !cute.ptr<i64, smem>
        %22 = builtin.unrealized_conversion_cast %ptr_47 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %22, %c15_i32 : !llvm.ptr<3>, i32
        %int_tuple_48 = cute.make_int_tuple() : () -> !cute.int_tuple<"5">
        %ptr_49 = cute.add_offset(%iter_5, %int_tuple_48) : (!cute.ptr<i64, smem>, !cute.int_tuple<"5">) -> !cute.ptr<i64, smem>
        %23 = builtin.unrealized_conversion_cast %ptr_49 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %23, %c1_i32 : !llvm.ptr<3>, i32
        %24 = builtin.unrealized_conversion_cast %ptr_41 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %24, %c1_i32 : !llvm.ptr<3>, i32
        %25 = builtin.unrealized_conversion_cast %ptr_43 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %25, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_50 = cute.make_int_tuple() : () -> !cute.int_tuple<"7">
        %ptr_51 = cute.add_offset(%iter_5, %int_tuple_50) : (!cute.ptr<i64, smem>, !cute.int_tuple<"7">) -> !cute.ptr<i64, smem>
        %26 = builtin.unrealized_conversion_cast %ptr_51 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %26, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_52 = cute.make_int_tuple() : () -> !cute.int_tuple<"13">
        %ptr_53 = cute.add_offset(%iter_5, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"13">) -> !cute.ptr<i64, smem>
        %27 = builtin.unrealized_conversion_cast %ptr_53 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %27, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_54 = cute.make_int_tuple() : () -> !cute.int_tuple<"8">
        %ptr_55 = cute.add_offset(%iter_5, %int_tuple_54) : (!cute.ptr<i64, smem>, !cute.int_tuple<"8">) -> !cute.ptr<i64, smem>
        %28 = builtin.unrealized_conversion_cast %ptr_55 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %28, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_56 = cute.make_int_tuple() : () -> !cute.int_tuple<"14">
        %ptr_57 = cute.add_offset(%iter_5, %int_tuple_56) : (!cute.ptr<i64, smem>, !cute.int_tuple<"14">) -> !cute.ptr<i64, smem>
        %29 = builtin.unrealized_conversion_cast %ptr_57 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %29, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_58 = cute.make_int_tuple() : () -> !cute.int_tuple<"9">
        %ptr_59 = cute.add_offset(%iter_5, %int_tuple_58) : (!cute.ptr<i64, smem>, !cute.int_tuple<"9">) -> !cute.ptr<i64, smem>
        %30 = builtin.unrealized_conversion_cast %ptr_59 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %30, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_60 = cute.make_int_tuple() : () -> !cute.int_tuple<"15">
        %ptr_61 = cute.add_offset(%iter_5, %int_tuple_60) : (!cute.ptr<i64, smem>, !cute.int_tuple<"15">) -> !cute.ptr<i64, smem>
        %31 = builtin.unrealized_conversion_cast %ptr_61 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %31, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_62 = cute.make_int_tuple() : () -> !cute.int_tuple<"10">
        %ptr_63 = cute.add_offset(%iter_5, %int_tuple_62) : (!cute.ptr<i64, smem>, !cute.int_tuple<"10">) -> !cute.ptr<i64, smem>
        %32 = builtin.unrealized_conversion_cast %ptr_63 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %32, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_64 = cute.make_int_tuple() : () -> !cute.int_tuple<"16">
        %ptr_65 = cute.add_offset(%iter_5, %int_tuple_64) : (!cute.ptr<i64, smem>, !cute.int_tuple<"16">) -> !cute.ptr<i64, smem>
        %33 = builtin.unrealized_conversion_cast %ptr_65 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %33, %c4_i32 : !llvm.ptr<3>, i32
        %int_tuple_66 = cute.make_int_tuple() : () -> !cute.int_tuple<"11">
        %ptr_67 = cute.add_offset(%iter_5, %int_tuple_66) : (!cute.ptr<i64, smem>, !cute.int_tuple<"11">) -> !cute.ptr<i64, smem>
        %34 = builtin.unrealized_conversion_cast %ptr_67 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %34, %c1_i32 : !llvm.ptr<3>, i32
        %int_tuple_68 = cute.make_int_tuple() : () -> !cute.int_tuple<"17">
        %ptr_69 = cute.add_offset(%iter_5, %int_tuple_68) : (!cute.ptr<i64, smem>, !cute.int_tuple<"17">) -> !cute.ptr<i64, smem>
        %35 = builtin.unrealized_conversion_cast %ptr_69 : !cute.ptr<i64, smem> to !llvm.ptr<3>
        nvvm.mbarrier.init %35, %c4_i32 : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      nvvm.barrier
      %5 = nvvm.read.ptx.sreg.tid.y : i32
      %6 = nvvm.read.ptx.sreg.tid.z : i32
      %7 = nvvm.read.ptx.sreg.ntid.x : i32
      %8 = nvvm.read.ptx.sreg.ntid.y : i32
      %9 = arith.muli %5, %7 : i32
      %10 = arith.addi %3, %9 : i32
      %11 = arith.muli %6, %7 : i32
      %12 = arith.muli %11, %8 : i32
      %13 = arith.addi %10, %12 : i32
      %14 = arith.floordivsi %13, %c32_i32 : i32
      %15 = cute_nvgpu.arch.make_warp_uniform(%14) : i32
      %16 = cute_nvgpu.arch.make_warp_uniform(%15) : i32
      %17 = arith.cmpi slt, %16, %c4_i32 : i32
      scf.if %17 {
        nvvm.setmaxregister decrease 32
        %18 = arith.cmpi eq, %16, %c0_i32 : i32
        scf.if %18 {
          %19 = nvvm.read.ptx.sreg.laneid : i32
          %tile = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
          %div = cute.flat_divide(%arg3, %tile) : !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute.tile<"[128:1;128:1]">
          %grouped = cute.group_modes(%div) <0, 2> : (!cute.coord_tensor<"(0,0,0)", "(128,128,?,1,4):(1@1,1@0,128@1,0,1@2)">) -> !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">
          %grouped_44 = cute.group_modes(%view) <0, 2> : (!memref_smem_bf16) -> !memref_smem_bf16_2
          %shape_45 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_46 = cute.make_layout(%shape_45) : !cute.layout<"1:0">
          %coord = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg2, %coord, %lay_46, %grouped_44, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_2, !cute.coord_tensor<"(0,0,0)", "((128,128),?,1,4):((1@1,1@0),128@1,0,1@2)">) -> (!memref_smem_bf16_3, !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">)
          %div_47 = cute.flat_divide(%arg5, %tile) : !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">
          %grouped_48 = cute.group_modes(%div_47) <0, 2> : (!cute.coord_tensor<"(0,0,0)", "(128,128,1,?,4):(1@0,1@1,0,128@1,1@2)">) -> !cute.coord_tensor<"(0,0,0)", "((128,128),1,?,4):((1@0,1@1),0,128@1,1@2)">
          %grouped_49 = cute.group_modes(%view_21) <0, 2> : (!memref_smem_bf16_1) -> !memref_smem_bf16_4
          %res_smem_tensor_50, %res_target_tensors_51 = cute_nvgpu.atom.tma_partition(%arg4, %coord, %lay_46, %grouped_49, %grouped_48) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_4, !cute.coord_tensor<"(0,0,0)", "((128,128),1,?,4):((1@0,1@1),0,128@1,1@2)">) -> (!memref_smem_bf16_3, !cute.coord_tensor<"(0,0,0)", "(((64,128),2),1,?,4):(((1@0,1@1),64@0),0,128@1,1@2)">)
          %shape_52 = cute.make_shape() : () -> !cute.shape<"1073741824">
          %lay_53 = cute.make_layout(%shape_52) : !cute.layout<"1073741824:1">
          %view_54 = cute.make_view(%arg13, %lay_53) : !memref_gmem_i32
          %20 = cute.memref.load(%view_54, %coord) : (!memref_gmem_i32, !cute.coord<"0">) -> i32
          %21 = scf.while (%arg17 = %c1_i32, %arg18 = %c0_i32) : (i32, i32) -> i32 {
            %22 = arith.cmpi sgt, %arg17, %c0_i32 : i32
            scf.condition(%22) %arg18 : i32
          } do {
          ^bb0(%arg17: i32):
            %22 = arith.cmpi eq, %19, %c0_i32 : i32
            %23 = scf.if %22 -> (i32) {
              %39 = builtin.unrealized_conversion_cast %arg14 : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
              %40 = nvvm.atomicrmw add %39, %c1_i32 : !llvm.ptr<1>, i32
              scf.yield %40 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %24 = nvvm.shfl.sync idx %c-1_i32, %23, %c0_i32, %c31_i32 : i32 -> i32
            %25 = arith.cmpi slt, %24, %20 : i32
            %26 = arith.cmpi slt, %19, %c4_i32 : i32
            %27 = arith.andi %25, %26 : i1
            %28 = scf.if %27 -> (i32) {
              %39 = arith.extsi %24 : i32 to i64
              %40 = arith.muli %39, %c4_i64 : i64
              %int_tuple_58 = cute.make_int_tuple(%40) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_59 = cute.add_offset(%arg12, %int_tuple_58) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_60 = cute.make_view(%ptr_59, %lay_53) : !memref_gmem_i32_1
              %coord_61 = cute.make_coord(%19) : (i32) -> !cute.coord<"?">
              %41 = cute.memref.load(%view_60, %coord_61) : (!memref_gmem_i32_1, !cute.coord<"?">) -> i32
              scf.yield %41 : i32
            } else {
              scf.yield %c0_i32 : i32
            }
            %29 = nvvm.shfl.sync idx %c-1_i32, %28, %c1_i32, %c31_i32 : i32 -> i32
            %30 = nvvm.shfl.sync idx %c-1_i32, %28, %c2_i32, %c31_i32 : i32 -> i32
            %31 = nvvm.shfl.sync idx %c-1_i32, %28, %c3_i32, %c31_i32 : i32 -> i32
            %32 = arith.andi %arg17, %c1_i32 : i32
            %33 = arith.shrsi %arg17, %c1_i32 : i32
            %34 = arith.andi %33, %c1_i32 : i32
            %int_tuple_55 = cute.make_int_tuple(%32) : (i32) -> !cute.int_tuple<"?">
            %ptr_56 = cute.add_offset(%ptr_39, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_57 = cute.add_offset(%ptr, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %35 = arith.xori %34, %c1_i32 : i32
            %36 = builtin.unrealized_conversion_cast %ptr_57 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %36, %35, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            scf.if %26 {
              %coord_58 = cute.make_coord(%19, %32) : (i32, i32) -> !cute.coord<"(?,?)">
              cute.memref.store(%view_30, %coord_58, %28) : (!memref_smem_i32, !cute.coord<"(?,?)">, i32) -> ()
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            scf.if %22 {
              %ptr_58 = cute.add_offset(%iter_5, %int_tuple_55) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %39 = builtin.unrealized_conversion_cast %ptr_58 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %40 = nvvm.mbarrier.arrive %39, %c1_i32 : !llvm.ptr<3> -> i64
              %41 = arith.cmpi sgt, %29, %c0_i32 : i32
              scf.if %41 {
                %42 = builtin.unrealized_conversion_cast %ptr_56 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %43 = nvvm.mbarrier.arrive.expect_tx %42, %c65536_i32 : !llvm.ptr<3>, i32 -> i64
              }
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            %37 = arith.cmpi sgt, %29, %c0_i32 : i32
            scf.if %37 {
              %coord_58 = cute.make_coord(%31, %30) : (i32, i32) -> !cute.coord<"(_,?,0,?)">
              %slice = cute.slice(%res_target_tensors, %coord_58) : !cute.coord_tensor<"(0,0,0)", "(((64,128),2),?,1,4):(((1@0,1@1),64@0),128@1,0,1@2)">, !cute.coord<"(_,?,0,?)">
              %iter_59 = cute.get_iter(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %tup = cute.deref_arith_tuple_iter(%iter_59) : !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %e0, %e1, %e2 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,?{div=128},?)">
              %coord_60 = cute.make_coord(%32) : (i32) -> !cute.coord<"(_,?)">
              %slice_61 = cute.slice(%res_smem_tensor, %coord_60) : !memref_smem_bf16_3, !cute.coord<"(_,?)">
              %iter_62 = cute.get_iter(%slice_61) : !memref_smem_bf16_5
              %lay_63 = cute.get_layout(%slice) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %lay_64 = cute.get_layout(%slice_61) : !memref_smem_bf16_5
              %append = cute.append_to_rank<2> (%lay_63, %lay_46) : !cute.layout<"(((64,128),2)):(((1@0,1@1),64@0))">, !cute.layout<"1:0">
              %int_tuple_65 = cute.make_int_tuple(%e1, %e2) : (!cute.int_tuple<"?{div=128}">, !cute.int_tuple<"?">) -> !cute.int_tuple<"(0,?{div=128},?)">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_65) : (!cute.int_tuple<"(0,?{div=128},?)">) -> !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %view_66 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">
              %grouped_67 = cute.group_modes(%view_66) <1, 2> : (!cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">) -> !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">
              %append_68 = cute.append_to_rank<2> (%lay_64, %lay_46) : !cute.layout<"((8192,2)):((1,8192))">, !cute.layout<"1:0">
              %view_69 = cute.make_view(%iter_62, %append_68) : !memref_smem_bf16_6
              %grouped_70 = cute.group_modes(%view_69) <1, 2> : (!memref_smem_bf16_6) -> !memref_smem_bf16_7
              %39 = cute_nvgpu.atom.make_exec_tma(%arg2) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>
              %40 = cute_nvgpu.atom.set_value<tma_bar>(%39, %ptr_56) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.ptr<i64, smem>)
              cute.copy(%40, %grouped_67, %grouped_70) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">>, !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">, !memref_smem_bf16_7)
              %coord_71 = cute.make_coord(%31, %30) : (i32, i32) -> !cute.coord<"(_,0,?,?)">
              %slice_72 = cute.slice(%res_target_tensors_51, %coord_71) : !cute.coord_tensor<"(0,0,0)", "(((64,128),2),1,?,4):(((1@0,1@1),64@0),0,128@1,1@2)">, !cute.coord<"(_,0,?,?)">
              %iter_73 = cute.get_iter(%slice_72) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %tup_74 = cute.deref_arith_tuple_iter(%iter_73) : !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %e0_75, %e1_76, %e2_77 = cute.get_leaves(%tup_74) : !cute.int_tuple<"(0,?{div=128},?)">
              %slice_78 = cute.slice(%res_smem_tensor_50, %coord_60) : !memref_smem_bf16_3, !cute.coord<"(_,?)">
              %iter_79 = cute.get_iter(%slice_78) : !memref_smem_bf16_5
              %lay_80 = cute.get_layout(%slice_72) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2)):(((1@0,1@1),64@0))">
              %lay_81 = cute.get_layout(%slice_78) : !memref_smem_bf16_5
              %append_82 = cute.append_to_rank<2> (%lay_80, %lay_46) : !cute.layout<"(((64,128),2)):(((1@0,1@1),64@0))">, !cute.layout<"1:0">
              %int_tuple_83 = cute.make_int_tuple(%e1_76, %e2_77) : (!cute.int_tuple<"?{div=128}">, !cute.int_tuple<"?">) -> !cute.int_tuple<"(0,?{div=128},?)">
              %int_tup_iter_84 = cute.make_arith_tuple_iter(%int_tuple_83) : (!cute.int_tuple<"(0,?{div=128},?)">) -> !cute.arith_tuple_iter<"(0,?{div=128},?)">
              %view_85 = cute.make_view(%int_tup_iter_84, %append_82) : !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">
              %grouped_86 = cute.group_modes(%view_85) <1, 2> : (!cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),1):(((1@0,1@1),64@0),0)">) -> !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">
              %append_87 = cute.append_to_rank<2> (%lay_81, %lay_46) : !cute.layout<"((8192,2)):((1,8192))">, !cute.layout<"1:0">
              %view_88 = cute.make_view(%iter_79, %append_87) : !memref_smem_bf16_6
              %grouped_89 = cute.group_modes(%view_88) <1, 2> : (!memref_smem_bf16_6) -> !memref_smem_bf16_7
              %41 = cute_nvgpu.atom.make_exec_tma(%arg4) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>
              %42 = cute_nvgpu.atom.set_value<tma_bar>(%41, %ptr_56) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>, !cute.ptr<i64, smem>)
              cute.copy(%42, %grouped_86, %grouped_89) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">>, !cute.coord_tensor<"(0,?{div=128},?)", "(((64,128),2),(1)):(((1@0,1@1),64@0),(0))">, !memref_smem_bf16_7)
            }
            %38 = arith.addi %arg17, %c1_i32 : i32
            scf.yield %29, %38 : i32, i32
          }
        } else {
          %19 = arith.subi %16, %c1_i32 : i32
          %20 = nvvm.read.ptx.sreg.laneid : i32
          %coord = cute.make_coord(%19) : (i32) -> !cute.coord<"(_,_,_,?)">
          %slice = cute.slice(%view_36, %coord) : !memref_smem_i32_1, !cute.coord<"(_,_,_,?)">
          %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
          %div = cute.flat_divide(%arg1, %tile) : !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">
          %grouped = cute.group_modes(%div) <0, 4> : (!cute.coord_tensor<"(0,0,0,0)", "(64,8,2,2,1,1,1,?):(1@0,1@1,1@2,1@3,0,0,0,2@3)">) -> !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">
          %shape_44 = cute.make_shape() : () -> !cute.shape<"((64,8,2,2),4,2,3)">
          %stride_45 = cute.make_stride() : () -> !cute.stride<"((1,64,512,1024),2048,8192,16384)">
          %lay_46 = cute.make_layout(%shape_44, %stride_45) : !cute.layout<"((64,8,2,2),4,2,3):((1,64,512,1024),2048,8192,16384)">
          %view_47 = cute.make_view(%iter_24, %lay_46) : !memref_smem_bf16_8
          %slice_48 = cute.slice(%view_47, %coord) : !memref_smem_bf16_8, !cute.coord<"(_,_,_,?)">
          %shape_49 = cute.make_shape() : () -> !cute.shape<"1">
          %lay_50 = cute.make_layout(%shape_49) : !cute.layout<"1:0">
          %coord_51 = cute.make_coord() : () -> !cute.coord<"0">
          %res_smem_tensor, %res_target_tensors = cute_nvgpu.atom.tma_partition(%arg0, %coord_51, %lay_50, %slice_48, %grouped) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord<"0">, !cute.layout<"1:0">, !memref_smem_bf16_9, !cute.coord_tensor<"(0,0,0,0)", "((64,8,2,2),1,1,1,?):((1@0,1@1,1@2,1@3),0,0,0,2@3)">) -> (!memref_smem_bf16_10, !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">)
          %coord_52 = cute.make_coord() : () -> !cute.coord<"(_,0,0,0,_)">
          %slice_53 = cute.slice(%res_target_tensors, %coord_52) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),1,1,1,?):(((1@0,1@1,1@2,1@3),0),0,0,0,2@3)">, !cute.coord<"(_,0,0,0,_)">
          %21 = arith.cmpi slt, %20, %c4_i32 : i32
          scf.if %21 {
            %coord_54 = cute.make_coord(%20) : (i32) -> !cute.coord<"(0,?,0)">
            cute.memref.store(%slice, %coord_54, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,0)">, i32) -> ()
            %coord_55 = cute.make_coord(%20) : (i32) -> !cute.coord<"(0,?,1)">
            cute.memref.store(%slice, %coord_55, %c-1_i32) : (!memref_smem_i32_2, !cute.coord<"(0,?,1)">, i32) -> ()
          }
          nvvm.bar.warp.sync %c-1_i32 : i32
          %22:3 = scf.while (%arg17 = %c1_i32, %arg18 = %c0_i32, %arg19 = %19, %arg20 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
            %24 = arith.cmpi sgt, %arg17, %c0_i32 : i32
            scf.condition(%24) %arg18, %arg19, %arg20 : i32, i32, i32
          } do {
          ^bb0(%arg17: i32, %arg18: i32, %arg19: i32):
            %24 = arith.andi %arg19, %c1_i32 : i32
            %25 = arith.shrsi %arg19, %c1_i32 : i32
            %26 = arith.andi %25, %c1_i32 : i32
            %int_tuple_54 = cute.make_int_tuple(%24) : (i32) -> !cute.int_tuple<"?">
            %ptr_55 = cute.add_offset(%iter_5, %int_tuple_54) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %27 = builtin.unrealized_conversion_cast %ptr_55 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %27, %26, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %coord_56 = cute.make_coord(%24) : (i32) -> !cute.coord<"(0,?)">
            %28 = cute.memref.load(%view_30, %coord_56) : (!memref_smem_i32, !cute.coord<"(0,?)">) -> i32
            %coord_57 = cute.make_coord(%24) : (i32) -> !cute.coord<"(1,?)">
            %29 = cute.memref.load(%view_30, %coord_57) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
            %coord_58 = cute.make_coord(%24) : (i32) -> !cute.coord<"(2,?)">
            %30 = cute.memref.load(%view_30, %coord_58) : (!memref_smem_i32, !cute.coord<"(2,?)">) -> i32
            %coord_59 = cute.make_coord(%24) : (i32) -> !cute.coord<"(3,?)">
            %31 = cute.memref.load(%view_30, %coord_59) : (!memref_smem_i32, !cute.coord<"(3,?)">) -> i32
            %32:2 = scf.while (%arg20 = %arg17, %arg21 = %arg18) : (i32, i32) -> (i32, i32) {
              %36 = arith.cmpi slt, %arg21, %29 : i32
              scf.condition(%36) %arg20, %arg21 : i32, i32
            } do {
            ^bb0(%arg20: i32, %arg21: i32):
              %36 = arith.addi %28, %arg21 : i32
              %37 = arith.extsi %36 : i32 to i64
              %38 = arith.muli %37, %c4_i64 : i64
              %39 = arith.remsi %20, %c4_i32 : i32
              %40 = arith.extsi %39 : i32 to i64
              %41 = arith.addi %38, %40 : i64
              %int_tuple_60 = cute.make_int_tuple(%41) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_61 = cute.add_offset(%arg10, %int_tuple_60) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %shape_62 = cute.make_shape() : () -> !cute.shape<"1073741824">
              %lay_63 = cute.make_layout(%shape_62) : !cute.layout<"1073741824:1">
              %view_64 = cute.make_view(%ptr_61, %lay_63) : !memref_gmem_i32_1
              %42 = cute.memref.load(%view_64, %coord_51) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %ptr_65 = cute.add_offset(%arg11, %int_tuple_60) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %view_66 = cute.make_view(%ptr_65, %lay_63) : !memref_gmem_i32_1
              %43 = cute.memref.load(%view_66, %coord_51) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
              %44 = arith.cmpi ne, %arg16, %c0_i32 : i32
              %45 = arith.cmpi sge, %42, %c0_i32 : i32
              %46 = arith.andi %44, %45 : i1
              %47 = scf.if %46 -> (i32) {
                %view_150 = cute.make_view(%arg15, %lay_63) : !memref_gmem_i32
                %82 = arith.muli %42, %c4_i32 : i32
                %83 = arith.addi %82, %30 : i32
                %coord_151 = cute.make_coord(%83) : (i32) -> !cute.coord<"?">
                %84 = cute.memref.load(%view_150, %coord_151) : (!memref_gmem_i32, !cute.coord<"?">) -> i32
                scf.yield %84 : i32
              } else {
                scf.yield %c1_i32 : i32
              }
              %48 = arith.cmpi eq, %47, %c0_i32 : i32
              %49 = arith.select %48, %c-1_i32, %42 : i32
              %50 = arith.andi %arg20, %c1_i32 : i32
              %51 = arith.shrsi %arg20, %c1_i32 : i32
              %52 = arith.andi %51, %c1_i32 : i32
              %53 = arith.muli %19, %c2_i32 : i32
              %int_tuple_67 = cute.make_int_tuple(%53) : (i32) -> !cute.int_tuple<"?">
              %ptr_68 = cute.add_offset(%ptr_41, %int_tuple_67) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %int_tuple_69 = cute.make_int_tuple(%50) : (i32) -> !cute.int_tuple<"?">
              %ptr_70 = cute.add_offset(%ptr_68, %int_tuple_69) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_71 = cute.add_offset(%ptr_43, %int_tuple_67) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %ptr_72 = cute.add_offset(%ptr_71, %int_tuple_69) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %54 = arith.xori %52, %c1_i32 : i32
              %55 = builtin.unrealized_conversion_cast %ptr_72 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              nvvm.mbarrier.try_wait.parity %55, %54, %c10000000_i32 : !llvm.ptr<3>, i32, i32
              %56 = arith.muli %31, %c128_i32 : i32
              %57 = arith.subi %43, %56 : i32
              %58 = arith.muli %49, %c4_i32 : i32
              %59 = arith.addi %58, %30 : i32
              %60 = arith.muli %59, %c2_i32 : i32
              %61 = arith.cmpi slt, %49, %c0_i32 : i32
              %62 = arith.cmpi slt, %57, %c0_i32 : i32
              %63 = arith.extui %61 : i1 to i32
              %64 = arith.extui %62 : i1 to i32
              %65 = arith.select %61, %63, %64 : i32
              %66 = arith.cmpi ne, %65, %c0_i32 : i32
              %67 = arith.select %66, %c-1_i32, %60 : i32
              %68 = arith.select %66, %c128_i32, %57 : i32
              scf.if %21 {
                %coord_150 = cute.make_coord(%20, %50) : (i32, i32) -> !cute.coord<"(0,?,?)">
                cute.memref.store(%slice, %coord_150, %67) : (!memref_smem_i32_2, !cute.coord<"(0,?,?)">, i32) -> ()
                %coord_151 = cute.make_coord(%20, %50) : (i32, i32) -> !cute.coord<"(1,?,?)">
                cute.memref.store(%slice, %coord_151, %68) : (!memref_smem_i32_2, !cute.coord<"(1,?,?)">, i32) -> ()
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %69 = arith.cmpi eq, %20, %c0_i32 : i32
              scf.if %69 {
                %82 = builtin.unrealized_conversion_cast %ptr_70 : !cute.ptr<i64, smem> to !llvm.ptr<3>
                %83 = nvvm.mbarrier.arrive.expect_tx %82, %c16384_i32 : !llvm.ptr<3>, i32 -> i64
              }
              nvvm.bar.warp.sync %c-1_i32 : i32
              %70 = nvvm.shfl.sync idx %c-1_i32, %67, %c0_i32, %c31_i32 : i32 -> i32
              %71 = arith.shrsi %70, %c1_i32 : i32
              %coord_73 = cute.make_coord(%50) : (i32) -> !cute.coord<"(_,0,?)">
              %slice_74 = cute.slice(%res_smem_tensor, %coord_73) : !memref_smem_bf16_10, !cute.coord<"(_,0,?)">
              %iter_75 = cute.get_iter(%slice_74) : !memref_smem_bf16_11
              %coord_76 = cute.make_coord(%71) : (i32) -> !cute.coord<"(_,?)">
              %slice_77 = cute.slice(%slice_53, %coord_76) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_78 = cute.get_iter(%slice_77) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup = cute.deref_arith_tuple_iter(%iter_78) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0, %e1, %e2, %e3 = cute.get_leaves(%tup) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_79 = cute.get_layout(%slice_77) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_80 = cute.get_layout(%slice_74) : !memref_smem_bf16_11
              %append = cute.append_to_rank<2> (%lay_79, %lay_50) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_81 = cute.make_int_tuple(%e3) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter = cute.make_arith_tuple_iter(%int_tuple_81) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_82 = cute.make_view(%int_tup_iter, %append) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_83 = cute.group_modes(%view_82) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_84 = cute.append_to_rank<2> (%lay_80, %lay_50) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_85 = cute.make_view(%iter_75, %append_84) : !memref_smem_bf16_12
              %grouped_86 = cute.group_modes(%view_85) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              %72 = cute_nvgpu.atom.make_exec_tma(%arg0) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>) -> !cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>
              %73 = cute_nvgpu.atom.set_value<tma_bar>(%72, %ptr_70) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.ptr<i64, smem>)
              cute.copy(%73, %grouped_83, %grouped_86) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %74 = nvvm.shfl.sync idx %c-1_i32, %67, %c1_i32, %c31_i32 : i32 -> i32
              %75 = arith.shrsi %74, %c1_i32 : i32
              %coord_87 = cute.make_coord(%50) : (i32) -> !cute.coord<"(_,1,?)">
              %slice_88 = cute.slice(%res_smem_tensor, %coord_87) : !memref_smem_bf16_10, !cute.coord<"(_,1,?)">
              %iter_89 = cute.get_iter(%slice_88) : !memref_smem_bf16_11
              %coord_90 = cute.make_coord(%75) : (i32) -> !cute.coord<"(_,?)">
              %slice_91 = cute.slice(%slice_53, %coord_90) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_92 = cute.get_iter(%slice_91) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_93 = cute.deref_arith_tuple_iter(%iter_92) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_94, %e1_95, %e2_96, %e3_97 = cute.get_leaves(%tup_93) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_98 = cute.get_layout(%slice_91) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_99 = cute.get_layout(%slice_88) : !memref_smem_bf16_11
              %append_100 = cute.append_to_rank<2> (%lay_98, %lay_50) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_101 = cute.make_int_tuple(%e3_97) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_102 = cute.make_arith_tuple_iter(%int_tuple_101) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_103 = cute.make_view(%int_tup_iter_102, %append_100) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_104 = cute.group_modes(%view_103) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_105 = cute.append_to_rank<2> (%lay_99, %lay_50) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_106 = cute.make_view(%iter_89, %append_105) : !memref_smem_bf16_12
              %grouped_107 = cute.group_modes(%view_106) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%73, %grouped_104, %grouped_107) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %76 = nvvm.shfl.sync idx %c-1_i32, %67, %c2_i32, %c31_i32 : i32 -> i32
              %77 = arith.shrsi %76, %c1_i32 : i32
              %coord_108 = cute.make_coord(%50) : (i32) -> !cute.coord<"(_,2,?)">
              %slice_109 = cute.slice(%res_smem_tensor, %coord_108) : !memref_smem_bf16_10, !cute.coord<"(_,2,?)">
              %iter_110 = cute.get_iter(%slice_109) : !memref_smem_bf16_11
              %coord_111 = cute.make_coord(%77) : (i32) -> !cute.coord<"(_,?)">
              %slice_112 = cute.slice(%slice_53, %coord_111) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_113 = cute.get_iter(%slice_112) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_114 = cute.deref_arith_tuple_iter(%iter_113) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_115, %e1_116, %e2_117, %e3_118 = cute.get_leaves(%tup_114) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_119 = cute.get_layout(%slice_112) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_120 = cute.get_layout(%slice_109) : !memref_smem_bf16_11
              %append_121 = cute.append_to_rank<2> (%lay_119, %lay_50) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_122 = cute.make_int_tuple(%e3_118) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_123 = cute.make_arith_tuple_iter(%int_tuple_122) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_124 = cute.make_view(%int_tup_iter_123, %append_121) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_125 = cute.group_modes(%view_124) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_126 = cute.append_to_rank<2> (%lay_120, %lay_50) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_127 = cute.make_view(%iter_110, %append_126) : !memref_smem_bf16_12
              %grouped_128 = cute.group_modes(%view_127) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%73, %grouped_125, %grouped_128) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %78 = nvvm.shfl.sync idx %c-1_i32, %67, %c3_i32, %c31_i32 : i32 -> i32
              %79 = arith.shrsi %78, %c1_i32 : i32
              %coord_129 = cute.make_coord(%50) : (i32) -> !cute.coord<"(_,3,?)">
              %slice_130 = cute.slice(%res_smem_tensor, %coord_129) : !memref_smem_bf16_10, !cute.coord<"(_,3,?)">
              %iter_131 = cute.get_iter(%slice_130) : !memref_smem_bf16_11
              %coord_132 = cute.make_coord(%79) : (i32) -> !cute.coord<"(_,?)">
              %slice_133 = cute.slice(%slice_53, %coord_132) : !cute.coord_tensor<"(0,0,0,0)", "(((64,8,2,2),1),?):(((1@0,1@1,1@2,1@3),0),2@3)">, !cute.coord<"(_,?)">
              %iter_134 = cute.get_iter(%slice_133) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %tup_135 = cute.deref_arith_tuple_iter(%iter_134) : !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %e0_136, %e1_137, %e2_138, %e3_139 = cute.get_leaves(%tup_135) : !cute.int_tuple<"(0,0,0,?{div=2})">
              %lay_140 = cute.get_layout(%slice_133) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">
              %lay_141 = cute.get_layout(%slice_130) : !memref_smem_bf16_11
              %append_142 = cute.append_to_rank<2> (%lay_140, %lay_50) : !cute.layout<"(((64,8,2,2),1)):(((1@0,1@1,1@2,1@3),0))">, !cute.layout<"1:0">
              %int_tuple_143 = cute.make_int_tuple(%e3_139) : (!cute.int_tuple<"?{div=2}">) -> !cute.int_tuple<"(0,0,0,?{div=2})">
              %int_tup_iter_144 = cute.make_arith_tuple_iter(%int_tuple_143) : (!cute.int_tuple<"(0,0,0,?{div=2})">) -> !cute.arith_tuple_iter<"(0,0,0,?{div=2})">
              %view_145 = cute.make_view(%int_tup_iter_144, %append_142) : !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">
              %grouped_146 = cute.group_modes(%view_145) <1, 2> : (!cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),1):(((1@0,1@1,1@2,1@3),0),0)">) -> !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">
              %append_147 = cute.append_to_rank<2> (%lay_141, %lay_50) : !cute.layout<"((2048,1)):((1,0))">, !cute.layout<"1:0">
              %view_148 = cute.make_view(%iter_131, %append_147) : !memref_smem_bf16_12
              %grouped_149 = cute.group_modes(%view_148) <1, 2> : (!memref_smem_bf16_12) -> !memref_smem_bf16_13
              cute.copy(%73, %grouped_146, %grouped_149) : (!cute_nvgpu.atom.tma_load<bf16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">>, !cute.coord_tensor<"(0,0,0,?{div=2})", "(((64,8,2,2),1),(1)):(((1@0,1@1,1@2,1@3),0),(0))">, !memref_smem_bf16_13)
              %80 = arith.addi %arg20, %c1_i32 : i32
              %81 = arith.addi %arg21, %c3_i32 : i32
              scf.yield %80, %81 : i32, i32
            }
            %33 = arith.subi %32#1, %29 : i32
            nvvm.bar.warp.sync %c-1_i32 : i32
            %34 = arith.cmpi eq, %20, %c0_i32 : i32
            scf.if %34 {
              %ptr_60 = cute.add_offset(%ptr, %int_tuple_54) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
              %36 = builtin.unrealized_conversion_cast %ptr_60 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %37 = nvvm.mbarrier.arrive %36, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %35 = arith.addi %arg19, %c1_i32 : i32
            scf.yield %29, %32#0, %33, %35 : i32, i32, i32, i32
          }
          %23 = scf.for %arg17 = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%arg18 = %22#0) -> (i32)  : i32 {
            %24 = arith.andi %arg18, %c1_i32 : i32
            %25 = arith.shrsi %arg18, %c1_i32 : i32
            %26 = arith.andi %25, %c1_i32 : i32
            %27 = arith.muli %19, %c2_i32 : i32
            %int_tuple_54 = cute.make_int_tuple(%27) : (i32) -> !cute.int_tuple<"?">
            %ptr_55 = cute.add_offset(%ptr_43, %int_tuple_54) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_56 = cute.make_int_tuple(%24) : (i32) -> !cute.int_tuple<"?">
            %ptr_57 = cute.add_offset(%ptr_55, %int_tuple_56) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %28 = arith.xori %26, %c1_i32 : i32
            %29 = builtin.unrealized_conversion_cast %ptr_57 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %29, %28, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %30 = arith.addi %arg18, %c1_i32 : i32
            scf.yield %30 : i32
          } {loop_annotation = #loop_annotation}
        }
      } else {
        nvvm.setmaxregister increase 160
        %18 = arith.floordivsi %16, %c4_i32 : i32
        %19 = arith.subi %18, %c1_i32 : i32
        %20 = nvvm.read.ptx.sreg.laneid : i32
        %shape_44 = cute.make_shape() : () -> !cute.shape<"1073741824">
        %lay_45 = cute.make_layout(%shape_44) : !cute.layout<"1073741824:1">
        %view_46 = cute.make_view(%arg9, %lay_45) : !memref_gmem_f32
        %coord = cute.make_coord() : () -> !cute.coord<"0">
        %21 = cute.memref.load(%view_46, %coord) : (!memref_gmem_f32, !cute.coord<"0">) -> f32
        %22 = nvvm.fmax nan %21, %cst_4
        %23 = arith.divf %cst_3, %22 : f32
        %24:3 = scf.while (%arg17 = %c1_i32, %arg18 = %c0_i32, %arg19 = %19, %arg20 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32) {
          %25 = arith.cmpi sgt, %arg17, %c0_i32 : i32
          scf.condition(%25) %arg18, %arg19, %arg20 : i32, i32, i32
        } do {
        ^bb0(%arg17: i32, %arg18: i32, %arg19: i32):
          %25 = arith.andi %arg19, %c1_i32 : i32
          %26 = arith.shrsi %arg19, %c1_i32 : i32
          %27 = arith.andi %26, %c1_i32 : i32
          %int_tuple_47 = cute.make_int_tuple(%25) : (i32) -> !cute.int_tuple<"?">
          %ptr_48 = cute.add_offset(%iter_5, %int_tuple_47) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
          %28 = builtin.unrealized_conversion_cast %ptr_48 : !cute.ptr<i64, smem> to !llvm.ptr<3>
          nvvm.mbarrier.try_wait.parity %28, %27, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          %coord_49 = cute.make_coord(%25) : (i32) -> !cute.coord<"(1,?)">
          %29 = cute.memref.load(%view_30, %coord_49) : (!memref_smem_i32, !cute.coord<"(1,?)">) -> i32
          %30 = arith.cmpi slt, %arg18, %29 : i32
          scf.if %30 {
            %ptr_50 = cute.add_offset(%ptr_39, %int_tuple_47) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %35 = builtin.unrealized_conversion_cast %ptr_50 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %35, %27, %c10000000_i32 : !llvm.ptr<3>, i32, i32
          }
          %31:2 = scf.while (%arg20 = %arg17, %arg21 = %arg18) : (i32, i32) -> (i32, i32) {
            %35 = arith.cmpi slt, %arg21, %29 : i32
            scf.condition(%35) %arg20, %arg21 : i32, i32
          } do {
          ^bb0(%arg20: i32, %arg21: i32):
            %35 = arith.andi %arg20, %c1_i32 : i32
            %36 = arith.shrsi %arg20, %c1_i32 : i32
            %37 = arith.andi %36, %c1_i32 : i32
            %38 = arith.muli %19, %c2_i32 : i32
            %int_tuple_50 = cute.make_int_tuple(%38) : (i32) -> !cute.int_tuple<"?">
            %ptr_51 = cute.add_offset(%ptr_41, %int_tuple_50) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %int_tuple_52 = cute.make_int_tuple(%35) : (i32) -> !cute.int_tuple<"?">
            %ptr_53 = cute.add_offset(%ptr_51, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %39 = builtin.unrealized_conversion_cast %ptr_53 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            nvvm.mbarrier.try_wait.parity %39, %37, %c10000000_i32 : !llvm.ptr<3>, i32, i32
            %40 = arith.remsi %16, %c4_i32 : i32
            %ptr_54 = cute.add_offset(%ptr_43, %int_tuple_50) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %ptr_55 = cute.add_offset(%ptr_54, %int_tuple_52) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %coord_56 = cute.make_coord(%40, %35, %19) : (i32, i32, i32) -> !cute.coord<"(0,?,?,?)">
            %41 = cute.memref.load(%view_36, %coord_56) : (!memref_smem_i32_1, !cute.coord<"(0,?,?,?)">) -> i32
            %coord_57 = cute.make_coord(%40, %35, %19) : (i32, i32, i32) -> !cute.coord<"(1,?,?,?)">
            %42 = cute.memref.load(%view_36, %coord_57) : (!memref_smem_i32_1, !cute.coord<"(1,?,?,?)">) -> i32
            %43 = arith.shrsi %41, %c1_i32 : i32
            %44 = arith.extsi %43 : i32 to i64
            %45 = arith.muli %44, %c16_i64 : i64
            %46 = arith.floordivsi %20, %c4_i32 : i32
            %47 = arith.extsi %46 : i32 to i64
            %48 = arith.addi %45, %47 : i64
            %49 = arith.maxsi %48, %c0_i64 : i64
            %int_tuple_58 = cute.make_int_tuple(%49) : (i64) -> !cute.int_tuple<"?{i64}">
            %ptr_59 = cute.add_offset(%arg8, %int_tuple_58) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
            %view_60 = cute.make_view(%ptr_59, %lay_45) : !memref_gmem_i32_1
            %50 = cute.memref.load(%view_60, %coord) : (!memref_gmem_i32_1, !cute.coord<"0">) -> i32
            %coord_61 = cute.make_coord() : () -> !cute.coord<"8">
            %51 = cute.memref.load(%view_60, %coord_61) : (!memref_gmem_i32_1, !cute.coord<"8">) -> i32
            %atom = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>
            %52 = cute.make_tiled_mma(%atom) : !mma_bf16_bf16_f32_64x128x16
            %shape_62 = cute.make_shape() : () -> !cute.shape<"((8,8),(64,2),2,3)">
            %stride_63 = cute.make_stride() : () -> !cute.stride<"((64,1024),(1,512),8192,16384)">
            %lay_64 = cute.make_layout(%shape_62, %stride_63) : !cute.layout<"((8,8),(64,2),2,3):((64,1024),(1,512),8192,16384)">
            %view_65 = cute.make_view(%iter_24, %lay_64) : !memref_smem_bf16_14
            %coord_66 = cute.make_coord(%19) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice = cute.slice(%view_65, %coord_66) : !memref_smem_bf16_14, !cute.coord<"(_,_,_,?)">
            %ptn_A = cute.tiled.mma.partition A (%52, %slice, %coord) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_15, !cute.coord<"0">) -> !memref_smem_bf16_16
            %frg_A = cute.mma.make_fragment A (%52, %ptn_A) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_16) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">
            %ptn_B = cute.tiled.mma.partition B (%52, %view, %coord) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16, !cute.coord<"0">) -> !memref_smem_bf16_17
            %frg_B = cute.mma.make_fragment B (%52, %ptn_B) : (!mma_bf16_bf16_f32_64x128x16, !memref_smem_bf16_17) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">
            %coord_67 = cute.make_coord(%35) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_68 = cute.slice(%frg_A, %coord_67) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),2):(0,0,(2,64),1024)">, !cute.coord<"(_,_,_,?)">
            %coord_69 = cute.make_coord(%25) : (i32) -> !cute.coord<"(_,_,_,?)">
            %slice_70 = cute.slice(%frg_B, %coord_69) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2),(1,2)):(0,0,(2,1024),(0,2048))">, !cute.coord<"(_,_,_,?)">
            %rmem = cute.memref.alloca() : !memref_rmem_f32
            %iter_71 = cute.get_iter(%rmem) : !memref_rmem_f32
            nvvm.wgmma.fence.aligned
            %53 = cute_nvgpu.atom.set_value<accum_c>(%atom, %false) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_72 = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
            %slice_73 = cute.slice(%slice_68, %coord_72) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,0)">
            %slice_74 = cute.slice(%slice_70, %coord_72) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,0)">
            cute.gemm(%53, %rmem, %slice_73, %slice_74, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %54 = cute_nvgpu.atom.set_value<accum_c>(%53, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_75 = cute.make_coord() : () -> !cute.coord<"(_,_,1)">
            %slice_76 = cute.slice(%slice_68, %coord_75) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,1)">
            %slice_77 = cute.slice(%slice_70, %coord_75) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,1)">
            cute.gemm(%54, %rmem, %slice_76, %slice_77, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %55 = cute_nvgpu.atom.set_value<accum_c>(%54, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_78 = cute.make_coord() : () -> !cute.coord<"(_,_,2)">
            %slice_79 = cute.slice(%slice_68, %coord_78) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,2)">
            %slice_80 = cute.slice(%slice_70, %coord_78) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,2)">
            cute.gemm(%55, %rmem, %slice_79, %slice_80, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %56 = cute_nvgpu.atom.set_value<accum_c>(%55, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_81 = cute.make_coord() : () -> !cute.coord<"(_,_,3)">
            %slice_82 = cute.slice(%slice_68, %coord_81) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,3)">
            %slice_83 = cute.slice(%slice_70, %coord_81) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,3)">
            cute.gemm(%56, %rmem, %slice_82, %slice_83, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %57 = cute_nvgpu.atom.set_value<accum_c>(%56, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_84 = cute.make_coord() : () -> !cute.coord<"(_,_,4)">
            %slice_85 = cute.slice(%slice_68, %coord_84) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,4)">
            %slice_86 = cute.slice(%slice_70, %coord_84) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,4)">
            cute.gemm(%57, %rmem, %slice_85, %slice_86, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %58 = cute_nvgpu.atom.set_value<accum_c>(%57, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_87 = cute.make_coord() : () -> !cute.coord<"(_,_,5)">
            %slice_88 = cute.slice(%slice_68, %coord_87) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,5)">
            %slice_89 = cute.slice(%slice_70, %coord_87) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,5)">
            cute.gemm(%58, %rmem, %slice_88, %slice_89, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %59 = cute_nvgpu.atom.set_value<accum_c>(%58, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_90 = cute.make_coord() : () -> !cute.coord<"(_,_,6)">
            %slice_91 = cute.slice(%slice_68, %coord_90) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,6)">
            %slice_92 = cute.slice(%slice_70, %coord_90) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,6)">
            cute.gemm(%59, %rmem, %slice_91, %slice_92, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %60 = cute_nvgpu.atom.set_value<accum_c>(%59, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, i1)
            %coord_93 = cute.make_coord() : () -> !cute.coord<"(_,_,7)">
            %slice_94 = cute.slice(%slice_68, %coord_93) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,64))">, !cute.coord<"(_,_,7)">
            %slice_95 = cute.slice(%slice_70, %coord_93) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,(4,2)):(0,0,(2,1024))">, !cute.coord<"(_,_,7)">
            cute.gemm(%60, %rmem, %slice_94, %slice_95, %rmem) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss>, !memref_rmem_f32, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            nvvm.wgmma.commit.group.sync.aligned
            nvvm.wgmma.wait.group.sync.aligned 0
            %61 = arith.cmpi slt, %42, %c127_i32 : i32
            scf.if %61 {
              %1175 = arith.remsi %20, %c4_i32 : i32
              %1176 = arith.muli %1175, %c2_i32 : i32
              %1177 = arith.subi %42, %1176 : i32
              %1178 = arith.cmpi slt, %1177, %c0_i32 : i32
              %1179 = cute.memref.load(%rmem, %coord) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
              %1180 = arith.select %1178, %cst_2, %1179 : f32
              cute.memref.store(%rmem, %coord, %1180) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
              %1181 = arith.cmpi slt, %1177, %c1_i32 : i32
              %coord_332 = cute.make_coord() : () -> !cute.coord<"1">
              %1182 = cute.memref.load(%rmem, %coord_332) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
              %1183 = arith.select %1181, %cst_2, %1182 : f32
              cute.memref.store(%rmem, %coord_332, %1183) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
              %coord_333 = cute.make_coord() : () -> !cute.coord<"2">
              %1184 = cute.memref.load(%rmem, %coord_333) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
              %1185 = arith.select %1178, %cst_2, %1184 : f32
              cute.memref.store(%rmem, %coord_333, %1185) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
              %coord_334 = cute.make_coord() : () -> !cute.coord<"3">
              %1186 = cute.memref.load(%rmem, %coord_334) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
              %1187 = arith.select %1181, %cst_2, %1186 : f32
              cute.memref.store(%rmem, %coord_334, %1187) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
              %1188 = arith.cmpi slt, %1177, %c8_i32 : i32
              %coord_335 = cute.make_coord() : () -> !cute.coord<"4">
              %1189 = cute.memref.load(%rmem, %coord_335) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
              %1190 = arith.select %1188, %cst_2, %1189 : f32
              cute.memref.store(%rmem, %coord_335, %1190) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
              %1191 = arith.cmpi slt, %1177, %c9_i32 : i32
              %coord_336 = cute.make_coord() : () -> !cute.coord<"5">
              %1192 = cute.memref.load(%rmem, %coord_336) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
              %1193 = arith.select %1191, %cst_2, %1192 : f32
              cute.memref.store(%rmem, %coord_336, %1193) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
              %coord_337 = cute.make_coord() : () -> !cute.coord<"6">
              %1194 = cute.memref.load(%rmem, %coord_337) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
              %1195 = arith.select %1188, %cst_2, %1194 : f32
              cute.memref.store(%rmem, %coord_337, %1195) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
              %coord_338 = cute.make_coord() : () -> !cute.coord<"7">
              %1196 = cute.memref.load(%rmem, %coord_338) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
              %1197 = arith.select %1191, %cst_2, %1196 : f32
              cute.memref.store(%rmem, %coord_338, %1197) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
              %1198 = arith.cmpi slt, %1177, %c16_i32 : i32
              %1199 = cute.memref.load(%rmem, %coord_61) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
              %1200 = arith.select %1198, %cst_2, %1199 : f32
              cute.memref.store(%rmem, %coord_61, %1200) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
              %1201 = arith.cmpi slt, %1177, %c17_i32 : i32
              %coord_339 = cute.make_coord() : () -> !cute.coord<"9">
              %1202 = cute.memref.load(%rmem, %coord_339) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
              %1203 = arith.select %1201, %cst_2, %1202 : f32
              cute.memref.store(%rmem, %coord_339, %1203) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
              %coord_340 = cute.make_coord() : () -> !cute.coord<"10">
              %1204 = cute.memref.load(%rmem, %coord_340) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
              %1205 = arith.select %1198, %cst_2, %1204 : f32
              cute.memref.store(%rmem, %coord_340, %1205) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
              %coord_341 = cute.make_coord() : () -> !cute.coord<"11">
              %1206 = cute.memref.load(%rmem, %coord_341) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
              %1207 = arith.select %1201, %cst_2, %1206 : f32
              cute.memref.store(%rmem, %coord_341, %1207) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
              %1208 = arith.cmpi slt, %1177, %c24_i32 : i32
              %coord_342 = cute.make_coord() : () -> !cute.coord<"12">
              %1209 = cute.memref.load(%rmem, %coord_342) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
              %1210 = arith.select %1208, %cst_2, %1209 : f32
              cute.memref.store(%rmem, %coord_342, %1210) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
              %1211 = arith.cmpi slt, %1177, %c25_i32 : i32
              %coord_343 = cute.make_coord() : () -> !cute.coord<"13">
              %1212 = cute.memref.load(%rmem, %coord_343) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
              %1213 = arith.select %1211, %cst_2, %1212 : f32
              cute.memref.store(%rmem, %coord_343, %1213) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
              %coord_344 = cute.make_coord() : () -> !cute.coord<"14">
              %1214 = cute.memref.load(%rmem, %coord_344) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
              %1215 = arith.select %1208, %cst_2, %1214 : f32
              cute.memref.store(%rmem, %coord_344, %1215) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
              %coord_345 = cute.make_coord() : () -> !cute.coord<"15">
              %1216 = cute.memref.load(%rmem, %coord_345) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
              %1217 = arith.select %1211, %cst_2, %1216 : f32
              cute.memref.store(%rmem, %coord_345, %1217) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
              %1218 = arith.cmpi slt, %1177, %c32_i32 : i32
              %coord_346 = cute.make_coord() : () -> !cute.coord<"16">
              %1219 = cute.memref.load(%rmem, %coord_346) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
              %1220 = arith.select %1218, %cst_2, %1219 : f32
              cute.memref.store(%rmem, %coord_346, %1220) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
              %1221 = arith.cmpi slt, %1177, %c33_i32 : i32
              %coord_347 = cute.make_coord() : () -> !cute.coord<"17">
              %1222 = cute.memref.load(%rmem, %coord_347) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
              %1223 = arith.select %1221, %cst_2, %1222 : f32
              cute.memref.store(%rmem, %coord_347, %1223) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
              %coord_348 = cute.make_coord() : () -> !cute.coord<"18">
              %1224 = cute.memref.load(%rmem, %coord_348) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
              %1225 = arith.select %1218, %cst_2, %1224 : f32
              cute.memref.store(%rmem, %coord_348, %1225) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
              %coord_349 = cute.make_coord() : () -> !cute.coord<"19">
              %1226 = cute.memref.load(%rmem, %coord_349) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
              %1227 = arith.select %1221, %cst_2, %1226 : f32
              cute.memref.store(%rmem, %coord_349, %1227) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
              %1228 = arith.cmpi slt, %1177, %c40_i32 : i32
              %coord_350 = cute.make_coord() : () -> !cute.coord<"20">
              %1229 = cute.memref.load(%rmem, %coord_350) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
              %1230 = arith.select %1228, %cst_2, %1229 : f32
              cute.memref.store(%rmem, %coord_350, %1230) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
              %1231 = arith.cmpi slt, %1177, %c41_i32 : i32
              %coord_351 = cute.make_coord() : () -> !cute.coord<"21">
              %1232 = cute.memref.load(%rmem, %coord_351) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
              %1233 = arith.select %1231, %cst_2, %1232 : f32
              cute.memref.store(%rmem, %coord_351, %1233) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
              %coord_352 = cute.make_coord() : () -> !cute.coord<"22">
              %1234 = cute.memref.load(%rmem, %coord_352) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
              %1235 = arith.select %1228, %cst_2, %1234 : f32
              cute.memref.store(%rmem, %coord_352, %1235) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
              %coord_353 = cute.make_coord() : () -> !cute.coord<"23">
              %1236 = cute.memref.load(%rmem, %coord_353) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
              %1237 = arith.select %1231, %cst_2, %1236 : f32
              cute.memref.store(%rmem, %coord_353, %1237) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
              %1238 = arith.cmpi slt, %1177, %c48_i32 : i32
              %coord_354 = cute.make_coord() : () -> !cute.coord<"24">
              %1239 = cute.memref.load(%rmem, %coord_354) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
              %1240 = arith.select %1238, %cst_2, %1239 : f32
              cute.memref.store(%rmem, %coord_354, %1240) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
              %1241 = arith.cmpi slt, %1177, %c49_i32 : i32
              %coord_355 = cute.make_coord() : () -> !cute.coord<"25">
              %1242 = cute.memref.load(%rmem, %coord_355) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
              %1243 = arith.select %1241, %cst_2, %1242 : f32
              cute.memref.store(%rmem, %coord_355, %1243) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
              %coord_356 = cute.make_coord() : () -> !cute.coord<"26">
              %1244 = cute.memref.load(%rmem, %coord_356) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
              %1245 = arith.select %1238, %cst_2, %1244 : f32
              cute.memref.store(%rmem, %coord_356, %1245) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
              %coord_357 = cute.make_coord() : () -> !cute.coord<"27">
              %1246 = cute.memref.load(%rmem, %coord_357) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
              %1247 = arith.select %1241, %cst_2, %1246 : f32
              cute.memref.store(%rmem, %coord_357, %1247) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
              %1248 = arith.cmpi slt, %1177, %c56_i32 : i32
              %coord_358 = cute.make_coord() : () -> !cute.coord<"28">
              %1249 = cute.memref.load(%rmem, %coord_358) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
              %1250 = arith.select %1248, %cst_2, %1249 : f32
              cute.memref.store(%rmem, %coord_358, %1250) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
              %1251 = arith.cmpi slt, %1177, %c57_i32 : i32
              %coord_359 = cute.make_coord() : () -> !cute.coord<"29">
              %1252 = cute.memref.load(%rmem, %coord_359) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
              %1253 = arith.select %1251, %cst_2, %1252 : f32
              cute.memref.store(%rmem, %coord_359, %1253) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
              %coord_360 = cute.make_coord() : () -> !cute.coord<"30">
              %1254 = cute.memref.load(%rmem, %coord_360) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
              %1255 = arith.select %1248, %cst_2, %1254 : f32
              cute.memref.store(%rmem, %coord_360, %1255) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
              %coord_361 = cute.make_coord() : () -> !cute.coord<"31">
              %1256 = cute.memref.load(%rmem, %coord_361) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
              %1257 = arith.select %1251, %cst_2, %1256 : f32
              cute.memref.store(%rmem, %coord_361, %1257) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
              %1258 = arith.cmpi slt, %1177, %c64_i32 : i32
              %coord_362 = cute.make_coord() : () -> !cute.coord<"32">
              %1259 = cute.memref.load(%rmem, %coord_362) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
              %1260 = arith.select %1258, %cst_2, %1259 : f32
              cute.memref.store(%rmem, %coord_362, %1260) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
              %1261 = arith.cmpi slt, %1177, %c65_i32 : i32
              %coord_363 = cute.make_coord() : () -> !cute.coord<"33">
              %1262 = cute.memref.load(%rmem, %coord_363) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
              %1263 = arith.select %1261, %cst_2, %1262 : f32
              cute.memref.store(%rmem, %coord_363, %1263) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
              %coord_364 = cute.make_coord() : () -> !cute.coord<"34">
              %1264 = cute.memref.load(%rmem, %coord_364) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
              %1265 = arith.select %1258, %cst_2, %1264 : f32
              cute.memref.store(%rmem, %coord_364, %1265) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
              %coord_365 = cute.make_coord() : () -> !cute.coord<"35">
              %1266 = cute.memref.load(%rmem, %coord_365) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
              %1267 = arith.select %1261, %cst_2, %1266 : f32
              cute.memref.store(%rmem, %coord_365, %1267) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
              %1268 = arith.cmpi slt, %1177, %c72_i32 : i32
              %coord_366 = cute.make_coord() : () -> !cute.coord<"36">
              %1269 = cute.memref.load(%rmem, %coord_366) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
              %1270 = arith.select %1268, %cst_2, %1269 : f32
              cute.memref.store(%rmem, %coord_366, %1270) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
              %1271 = arith.cmpi slt, %1177, %c73_i32 : i32
              %coord_367 = cute.make_coord() : () -> !cute.coord<"37">
              %1272 = cute.memref.load(%rmem, %coord_367) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
              %1273 = arith.select %1271, %cst_2, %1272 : f32
              cute.memref.store(%rmem, %coord_367, %1273) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
              %coord_368 = cute.make_coord() : () -> !cute.coord<"38">
              %1274 = cute.memref.load(%rmem, %coord_368) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
              %1275 = arith.select %1268, %cst_2, %1274 : f32
              cute.memref.store(%rmem, %coord_368, %1275) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
              %coord_369 = cute.make_coord() : () -> !cute.coord<"39">
              %1276 = cute.memref.load(%rmem, %coord_369) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
              %1277 = arith.select %1271, %cst_2, %1276 : f32
              cute.memref.store(%rmem, %coord_369, %1277) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
              %1278 = arith.cmpi slt, %1177, %c80_i32 : i32
              %coord_370 = cute.make_coord() : () -> !cute.coord<"40">
              %1279 = cute.memref.load(%rmem, %coord_370) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
              %1280 = arith.select %1278, %cst_2, %1279 : f32
              cute.memref.store(%rmem, %coord_370, %1280) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
              %1281 = arith.cmpi slt, %1177, %c81_i32 : i32
              %coord_371 = cute.make_coord() : () -> !cute.coord<"41">
              %1282 = cute.memref.load(%rmem, %coord_371) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
              %1283 = arith.select %1281, %cst_2, %1282 : f32
              cute.memref.store(%rmem, %coord_371, %1283) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
              %coord_372 = cute.make_coord() : () -> !cute.coord<"42">
              %1284 = cute.memref.load(%rmem, %coord_372) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
              %1285 = arith.select %1278, %cst_2, %1284 : f32
              cute.memref.store(%rmem, %coord_372, %1285) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
              %coord_373 = cute.make_coord() : () -> !cute.coord<"43">
              %1286 = cute.memref.load(%rmem, %coord_373) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
              %1287 = arith.select %1281, %cst_2, %1286 : f32
              cute.memref.store(%rmem, %coord_373, %1287) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
              %1288 = arith.cmpi slt, %1177, %c88_i32 : i32
              %coord_374 = cute.make_coord() : () -> !cute.coord<"44">
              %1289 = cute.memref.load(%rmem, %coord_374) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
              %1290 = arith.select %1288, %cst_2, %1289 : f32
              cute.memref.store(%rmem, %coord_374, %1290) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
              %1291 = arith.cmpi slt, %1177, %c89_i32 : i32
              %coord_375 = cute.make_coord() : () -> !cute.coord<"45">
              %1292 = cute.memref.load(%rmem, %coord_375) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
              %1293 = arith.select %1291, %cst_2, %1292 : f32
              cute.memref.store(%rmem, %coord_375, %1293) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
              %coord_376 = cute.make_coord() : () -> !cute.coord<"46">
              %1294 = cute.memref.load(%rmem, %coord_376) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
              %1295 = arith.select %1288, %cst_2, %1294 : f32
              cute.memref.store(%rmem, %coord_376, %1295) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
              %coord_377 = cute.make_coord() : () -> !cute.coord<"47">
              %1296 = cute.memref.load(%rmem, %coord_377) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
              %1297 = arith.select %1291, %cst_2, %1296 : f32
              cute.memref.store(%rmem, %coord_377, %1297) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
              %1298 = arith.cmpi slt, %1177, %c96_i32 : i32
              %coord_378 = cute.make_coord() : () -> !cute.coord<"48">
              %1299 = cute.memref.load(%rmem, %coord_378) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
              %1300 = arith.select %1298, %cst_2, %1299 : f32
              cute.memref.store(%rmem, %coord_378, %1300) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
              %1301 = arith.cmpi slt, %1177, %c97_i32 : i32
              %coord_379 = cute.make_coord() : () -> !cute.coord<"49">
              %1302 = cute.memref.load(%rmem, %coord_379) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
              %1303 = arith.select %1301, %cst_2, %1302 : f32
              cute.memref.store(%rmem, %coord_379, %1303) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
              %coord_380 = cute.make_coord() : () -> !cute.coord<"50">
              %1304 = cute.memref.load(%rmem, %coord_380) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
              %1305 = arith.select %1298, %cst_2, %1304 : f32
              cute.memref.store(%rmem, %coord_380, %1305) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
              %coord_381 = cute.make_coord() : () -> !cute.coord<"51">
              %1306 = cute.memref.load(%rmem, %coord_381) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
              %1307 = arith.select %1301, %cst_2, %1306 : f32
              cute.memref.store(%rmem, %coord_381, %1307) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
              %1308 = arith.cmpi slt, %1177, %c104_i32 : i32
              %coord_382 = cute.make_coord() : () -> !cute.coord<"52">
              %1309 = cute.memref.load(%rmem, %coord_382) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
              %1310 = arith.select %1308, %cst_2, %1309 : f32
              cute.memref.store(%rmem, %coord_382, %1310) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
              %1311 = arith.cmpi slt, %1177, %c105_i32 : i32
              %coord_383 = cute.make_coord() : () -> !cute.coord<"53">
              %1312 = cute.memref.load(%rmem, %coord_383) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
              %1313 = arith.select %1311, %cst_2, %1312 : f32
              cute.memref.store(%rmem, %coord_383, %1313) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
              %coord_384 = cute.make_coord() : () -> !cute.coord<"54">
              %1314 = cute.memref.load(%rmem, %coord_384) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
              %1315 = arith.select %1308, %cst_2, %1314 : f32
              cute.memref.store(%rmem, %coord_384, %1315) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
              %coord_385 = cute.make_coord() : () -> !cute.coord<"55">
              %1316 = cute.memref.load(%rmem, %coord_385) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
              %1317 = arith.select %1311, %cst_2, %1316 : f32
              cute.memref.store(%rmem, %coord_385, %1317) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
              %1318 = arith.cmpi slt, %1177, %c112_i32 : i32
              %coord_386 = cute.make_coord() : () -> !cute.coord<"56">
              %1319 = cute.memref.load(%rmem, %coord_386) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
              %1320 = arith.select %1318, %cst_2, %1319 : f32
              cute.memref.store(%rmem, %coord_386, %1320) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
              %1321 = arith.cmpi slt, %1177, %c113_i32 : i32
              %coord_387 = cute.make_coord() : () -> !cute.coord<"57">
              %1322 = cute.memref.load(%rmem, %coord_387) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
              %1323 = arith.select %1321, %cst_2, %1322 : f32
              cute.memref.store(%rmem, %coord_387, %1323) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
              %coord_388 = cute.make_coord() : () -> !cute.coord<"58">
              %1324 = cute.memref.load(%rmem, %coord_388) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
              %1325 = arith.select %1318, %cst_2, %1324 : f32
              cute.memref.store(%rmem, %coord_388, %1325) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
              %coord_389 = cute.make_coord() : () -> !cute.coord<"59">
              %1326 = cute.memref.load(%rmem, %coord_389) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
              %1327 = arith.select %1321, %cst_2, %1326 : f32
              cute.memref.store(%rmem, %coord_389, %1327) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
              %1328 = arith.cmpi slt, %1177, %c120_i32 : i32
              %coord_390 = cute.make_coord() : () -> !cute.coord<"60">
              %1329 = cute.memref.load(%rmem, %coord_390) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
              %1330 = arith.select %1328, %cst_2, %1329 : f32
              cute.memref.store(%rmem, %coord_390, %1330) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
              %1331 = arith.cmpi slt, %1177, %c121_i32 : i32
              %coord_391 = cute.make_coord() : () -> !cute.coord<"61">
              %1332 = cute.memref.load(%rmem, %coord_391) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
              %1333 = arith.select %1331, %cst_2, %1332 : f32
              cute.memref.store(%rmem, %coord_391, %1333) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
              %coord_392 = cute.make_coord() : () -> !cute.coord<"62">
              %1334 = cute.memref.load(%rmem, %coord_392) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
              %1335 = arith.select %1328, %cst_2, %1334 : f32
              cute.memref.store(%rmem, %coord_392, %1335) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
              %coord_393 = cute.make_coord() : () -> !cute.coord<"63">
              %1336 = cute.memref.load(%rmem, %coord_393) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
              %1337 = arith.select %1331, %cst_2, %1336 : f32
              cute.memref.store(%rmem, %coord_393, %1337) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
            }
            %62 = arith.remsi %20, %c2_i32 : i32
            %63 = arith.muli %62, %c8_i32 : i32
            %64 = arith.extsi %63 : i32 to i64
            %65 = arith.addi %48, %64 : i64
            %66 = arith.shrsi %50, %c31_i32 : i32
            %67 = arith.andi %66, %c2147483647_i32 : i32
            %68 = arith.xori %50, %67 : i32
            %69 = arith.bitcast %68 : i32 to f32
            %70 = arith.addf %69, %cst_1 : f32
            %71 = arith.shrsi %51, %c31_i32 : i32
            %72 = arith.andi %71, %c2147483647_i32 : i32
            %73 = arith.xori %51, %72 : i32
            %74 = arith.bitcast %73 : i32 to f32
            %75 = arith.addf %74, %cst_1 : f32
            %76 = cute.memref.load(%rmem, %coord) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %77 = arith.mulf %76, %cst_0 : f32
            %78 = arith.subf %77, %70 : f32
            %79 = math.exp2 %78 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord, %79) : (!memref_rmem_f32, !cute.coord<"0">, f32) -> ()
            %coord_96 = cute.make_coord() : () -> !cute.coord<"1">
            %80 = cute.memref.load(%rmem, %coord_96) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %81 = arith.mulf %80, %cst_0 : f32
            %82 = arith.subf %81, %70 : f32
            %83 = math.exp2 %82 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_96, %83) : (!memref_rmem_f32, !cute.coord<"1">, f32) -> ()
            %coord_97 = cute.make_coord() : () -> !cute.coord<"2">
            %84 = cute.memref.load(%rmem, %coord_97) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %85 = arith.mulf %84, %cst_0 : f32
            %86 = arith.subf %85, %75 : f32
            %87 = math.exp2 %86 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_97, %87) : (!memref_rmem_f32, !cute.coord<"2">, f32) -> ()
            %coord_98 = cute.make_coord() : () -> !cute.coord<"3">
            %88 = cute.memref.load(%rmem, %coord_98) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %89 = arith.mulf %88, %cst_0 : f32
            %90 = arith.subf %89, %75 : f32
            %91 = math.exp2 %90 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_98, %91) : (!memref_rmem_f32, !cute.coord<"3">, f32) -> ()
            %coord_99 = cute.make_coord() : () -> !cute.coord<"4">
            %92 = cute.memref.load(%rmem, %coord_99) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %93 = arith.mulf %92, %cst_0 : f32
            %94 = arith.subf %93, %70 : f32
            %95 = math.exp2 %94 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_99, %95) : (!memref_rmem_f32, !cute.coord<"4">, f32) -> ()
            %coord_100 = cute.make_coord() : () -> !cute.coord<"5">
            %96 = cute.memref.load(%rmem, %coord_100) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %97 = arith.mulf %96, %cst_0 : f32
            %98 = arith.subf %97, %70 : f32
            %99 = math.exp2 %98 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_100, %99) : (!memref_rmem_f32, !cute.coord<"5">, f32) -> ()
            %coord_101 = cute.make_coord() : () -> !cute.coord<"6">
            %100 = cute.memref.load(%rmem, %coord_101) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %101 = arith.mulf %100, %cst_0 : f32
            %102 = arith.subf %101, %75 : f32
            %103 = math.exp2 %102 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_101, %103) : (!memref_rmem_f32, !cute.coord<"6">, f32) -> ()
            %coord_102 = cute.make_coord() : () -> !cute.coord<"7">
            %104 = cute.memref.load(%rmem, %coord_102) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %105 = arith.mulf %104, %cst_0 : f32
            %106 = arith.subf %105, %75 : f32
            %107 = math.exp2 %106 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_102, %107) : (!memref_rmem_f32, !cute.coord<"7">, f32) -> ()
            %108 = cute.memref.load(%rmem, %coord_61) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %109 = arith.mulf %108, %cst_0 : f32
            %110 = arith.subf %109, %70 : f32
            %111 = math.exp2 %110 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_61, %111) : (!memref_rmem_f32, !cute.coord<"8">, f32) -> ()
            %coord_103 = cute.make_coord() : () -> !cute.coord<"9">
            %112 = cute.memref.load(%rmem, %coord_103) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %113 = arith.mulf %112, %cst_0 : f32
            %114 = arith.subf %113, %70 : f32
            %115 = math.exp2 %114 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_103, %115) : (!memref_rmem_f32, !cute.coord<"9">, f32) -> ()
            %coord_104 = cute.make_coord() : () -> !cute.coord<"10">
            %116 = cute.memref.load(%rmem, %coord_104) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %117 = arith.mulf %116, %cst_0 : f32
            %118 = arith.subf %117, %75 : f32
            %119 = math.exp2 %118 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_104, %119) : (!memref_rmem_f32, !cute.coord<"10">, f32) -> ()
            %coord_105 = cute.make_coord() : () -> !cute.coord<"11">
            %120 = cute.memref.load(%rmem, %coord_105) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %121 = arith.mulf %120, %cst_0 : f32
            %122 = arith.subf %121, %75 : f32
            %123 = math.exp2 %122 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_105, %123) : (!memref_rmem_f32, !cute.coord<"11">, f32) -> ()
            %coord_106 = cute.make_coord() : () -> !cute.coord<"12">
            %124 = cute.memref.load(%rmem, %coord_106) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %125 = arith.mulf %124, %cst_0 : f32
            %126 = arith.subf %125, %70 : f32
            %127 = math.exp2 %126 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_106, %127) : (!memref_rmem_f32, !cute.coord<"12">, f32) -> ()
            %coord_107 = cute.make_coord() : () -> !cute.coord<"13">
            %128 = cute.memref.load(%rmem, %coord_107) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %129 = arith.mulf %128, %cst_0 : f32
            %130 = arith.subf %129, %70 : f32
            %131 = math.exp2 %130 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_107, %131) : (!memref_rmem_f32, !cute.coord<"13">, f32) -> ()
            %coord_108 = cute.make_coord() : () -> !cute.coord<"14">
            %132 = cute.memref.load(%rmem, %coord_108) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %133 = arith.mulf %132, %cst_0 : f32
            %134 = arith.subf %133, %75 : f32
            %135 = math.exp2 %134 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_108, %135) : (!memref_rmem_f32, !cute.coord<"14">, f32) -> ()
            %coord_109 = cute.make_coord() : () -> !cute.coord<"15">
            %136 = cute.memref.load(%rmem, %coord_109) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %137 = arith.mulf %136, %cst_0 : f32
            %138 = arith.subf %137, %75 : f32
            %139 = math.exp2 %138 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_109, %139) : (!memref_rmem_f32, !cute.coord<"15">, f32) -> ()
            %coord_110 = cute.make_coord() : () -> !cute.coord<"16">
            %140 = cute.memref.load(%rmem, %coord_110) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %141 = arith.mulf %140, %cst_0 : f32
            %142 = arith.subf %141, %70 : f32
            %143 = math.exp2 %142 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_110, %143) : (!memref_rmem_f32, !cute.coord<"16">, f32) -> ()
            %coord_111 = cute.make_coord() : () -> !cute.coord<"17">
            %144 = cute.memref.load(%rmem, %coord_111) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %145 = arith.mulf %144, %cst_0 : f32
            %146 = arith.subf %145, %70 : f32
            %147 = math.exp2 %146 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_111, %147) : (!memref_rmem_f32, !cute.coord<"17">, f32) -> ()
            %coord_112 = cute.make_coord() : () -> !cute.coord<"18">
            %148 = cute.memref.load(%rmem, %coord_112) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %149 = arith.mulf %148, %cst_0 : f32
            %150 = arith.subf %149, %75 : f32
            %151 = math.exp2 %150 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_112, %151) : (!memref_rmem_f32, !cute.coord<"18">, f32) -> ()
            %coord_113 = cute.make_coord() : () -> !cute.coord<"19">
            %152 = cute.memref.load(%rmem, %coord_113) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %153 = arith.mulf %152, %cst_0 : f32
            %154 = arith.subf %153, %75 : f32
            %155 = math.exp2 %154 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_113, %155) : (!memref_rmem_f32, !cute.coord<"19">, f32) -> ()
            %coord_114 = cute.make_coord() : () -> !cute.coord<"20">
            %156 = cute.memref.load(%rmem, %coord_114) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %157 = arith.mulf %156, %cst_0 : f32
            %158 = arith.subf %157, %70 : f32
            %159 = math.exp2 %158 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_114, %159) : (!memref_rmem_f32, !cute.coord<"20">, f32) -> ()
            %coord_115 = cute.make_coord() : () -> !cute.coord<"21">
            %160 = cute.memref.load(%rmem, %coord_115) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %161 = arith.mulf %160, %cst_0 : f32
            %162 = arith.subf %161, %70 : f32
            %163 = math.exp2 %162 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_115, %163) : (!memref_rmem_f32, !cute.coord<"21">, f32) -> ()
            %coord_116 = cute.make_coord() : () -> !cute.coord<"22">
            %164 = cute.memref.load(%rmem, %coord_116) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %165 = arith.mulf %164, %cst_0 : f32
            %166 = arith.subf %165, %75 : f32
            %167 = math.exp2 %166 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_116, %167) : (!memref_rmem_f32, !cute.coord<"22">, f32) -> ()
            %coord_117 = cute.make_coord() : () -> !cute.coord<"23">
            %168 = cute.memref.load(%rmem, %coord_117) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %169 = arith.mulf %168, %cst_0 : f32
            %170 = arith.subf %169, %75 : f32
            %171 = math.exp2 %170 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_117, %171) : (!memref_rmem_f32, !cute.coord<"23">, f32) -> ()
            %coord_118 = cute.make_coord() : () -> !cute.coord<"24">
            %172 = cute.memref.load(%rmem, %coord_118) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %173 = arith.mulf %172, %cst_0 : f32
            %174 = arith.subf %173, %70 : f32
            %175 = math.exp2 %174 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_118, %175) : (!memref_rmem_f32, !cute.coord<"24">, f32) -> ()
            %coord_119 = cute.make_coord() : () -> !cute.coord<"25">
            %176 = cute.memref.load(%rmem, %coord_119) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %177 = arith.mulf %176, %cst_0 : f32
            %178 = arith.subf %177, %70 : f32
            %179 = math.exp2 %178 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_119, %179) : (!memref_rmem_f32, !cute.coord<"25">, f32) -> ()
            %coord_120 = cute.make_coord() : () -> !cute.coord<"26">
            %180 = cute.memref.load(%rmem, %coord_120) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %181 = arith.mulf %180, %cst_0 : f32
            %182 = arith.subf %181, %75 : f32
            %183 = math.exp2 %182 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_120, %183) : (!memref_rmem_f32, !cute.coord<"26">, f32) -> ()
            %coord_121 = cute.make_coord() : () -> !cute.coord<"27">
            %184 = cute.memref.load(%rmem, %coord_121) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %185 = arith.mulf %184, %cst_0 : f32
            %186 = arith.subf %185, %75 : f32
            %187 = math.exp2 %186 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_121, %187) : (!memref_rmem_f32, !cute.coord<"27">, f32) -> ()
            %coord_122 = cute.make_coord() : () -> !cute.coord<"28">
            %188 = cute.memref.load(%rmem, %coord_122) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %189 = arith.mulf %188, %cst_0 : f32
            %190 = arith.subf %189, %70 : f32
            %191 = math.exp2 %190 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_122, %191) : (!memref_rmem_f32, !cute.coord<"28">, f32) -> ()
            %coord_123 = cute.make_coord() : () -> !cute.coord<"29">
            %192 = cute.memref.load(%rmem, %coord_123) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %193 = arith.mulf %192, %cst_0 : f32
            %194 = arith.subf %193, %70 : f32
            %195 = math.exp2 %194 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_123, %195) : (!memref_rmem_f32, !cute.coord<"29">, f32) -> ()
            %coord_124 = cute.make_coord() : () -> !cute.coord<"30">
            %196 = cute.memref.load(%rmem, %coord_124) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %197 = arith.mulf %196, %cst_0 : f32
            %198 = arith.subf %197, %75 : f32
            %199 = math.exp2 %198 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_124, %199) : (!memref_rmem_f32, !cute.coord<"30">, f32) -> ()
            %coord_125 = cute.make_coord() : () -> !cute.coord<"31">
            %200 = cute.memref.load(%rmem, %coord_125) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %201 = arith.mulf %200, %cst_0 : f32
            %202 = arith.subf %201, %75 : f32
            %203 = math.exp2 %202 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_125, %203) : (!memref_rmem_f32, !cute.coord<"31">, f32) -> ()
            %coord_126 = cute.make_coord() : () -> !cute.coord<"32">
            %204 = cute.memref.load(%rmem, %coord_126) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %205 = arith.mulf %204, %cst_0 : f32
            %206 = arith.subf %205, %70 : f32
            %207 = math.exp2 %206 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_126, %207) : (!memref_rmem_f32, !cute.coord<"32">, f32) -> ()
            %coord_127 = cute.make_coord() : () -> !cute.coord<"33">
            %208 = cute.memref.load(%rmem, %coord_127) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %209 = arith.mulf %208, %cst_0 : f32
            %210 = arith.subf %209, %70 : f32
            %211 = math.exp2 %210 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_127, %211) : (!memref_rmem_f32, !cute.coord<"33">, f32) -> ()
            %coord_128 = cute.make_coord() : () -> !cute.coord<"34">
            %212 = cute.memref.load(%rmem, %coord_128) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %213 = arith.mulf %212, %cst_0 : f32
            %214 = arith.subf %213, %75 : f32
            %215 = math.exp2 %214 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_128, %215) : (!memref_rmem_f32, !cute.coord<"34">, f32) -> ()
            %coord_129 = cute.make_coord() : () -> !cute.coord<"35">
            %216 = cute.memref.load(%rmem, %coord_129) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %217 = arith.mulf %216, %cst_0 : f32
            %218 = arith.subf %217, %75 : f32
            %219 = math.exp2 %218 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_129, %219) : (!memref_rmem_f32, !cute.coord<"35">, f32) -> ()
            %coord_130 = cute.make_coord() : () -> !cute.coord<"36">
            %220 = cute.memref.load(%rmem, %coord_130) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %221 = arith.mulf %220, %cst_0 : f32
            %222 = arith.subf %221, %70 : f32
            %223 = math.exp2 %222 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_130, %223) : (!memref_rmem_f32, !cute.coord<"36">, f32) -> ()
            %coord_131 = cute.make_coord() : () -> !cute.coord<"37">
            %224 = cute.memref.load(%rmem, %coord_131) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %225 = arith.mulf %224, %cst_0 : f32
            %226 = arith.subf %225, %70 : f32
            %227 = math.exp2 %226 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_131, %227) : (!memref_rmem_f32, !cute.coord<"37">, f32) -> ()
            %coord_132 = cute.make_coord() : () -> !cute.coord<"38">
            %228 = cute.memref.load(%rmem, %coord_132) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %229 = arith.mulf %228, %cst_0 : f32
            %230 = arith.subf %229, %75 : f32
            %231 = math.exp2 %230 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_132, %231) : (!memref_rmem_f32, !cute.coord<"38">, f32) -> ()
            %coord_133 = cute.make_coord() : () -> !cute.coord<"39">
            %232 = cute.memref.load(%rmem, %coord_133) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %233 = arith.mulf %232, %cst_0 : f32
            %234 = arith.subf %233, %75 : f32
            %235 = math.exp2 %234 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_133, %235) : (!memref_rmem_f32, !cute.coord<"39">, f32) -> ()
            %coord_134 = cute.make_coord() : () -> !cute.coord<"40">
            %236 = cute.memref.load(%rmem, %coord_134) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %237 = arith.mulf %236, %cst_0 : f32
            %238 = arith.subf %237, %70 : f32
            %239 = math.exp2 %238 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_134, %239) : (!memref_rmem_f32, !cute.coord<"40">, f32) -> ()
            %coord_135 = cute.make_coord() : () -> !cute.coord<"41">
            %240 = cute.memref.load(%rmem, %coord_135) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %241 = arith.mulf %240, %cst_0 : f32
            %242 = arith.subf %241, %70 : f32
            %243 = math.exp2 %242 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_135, %243) : (!memref_rmem_f32, !cute.coord<"41">, f32) -> ()
            %coord_136 = cute.make_coord() : () -> !cute.coord<"42">
            %244 = cute.memref.load(%rmem, %coord_136) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %245 = arith.mulf %244, %cst_0 : f32
            %246 = arith.subf %245, %75 : f32
            %247 = math.exp2 %246 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_136, %247) : (!memref_rmem_f32, !cute.coord<"42">, f32) -> ()
            %coord_137 = cute.make_coord() : () -> !cute.coord<"43">
            %248 = cute.memref.load(%rmem, %coord_137) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %249 = arith.mulf %248, %cst_0 : f32
            %250 = arith.subf %249, %75 : f32
            %251 = math.exp2 %250 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_137, %251) : (!memref_rmem_f32, !cute.coord<"43">, f32) -> ()
            %coord_138 = cute.make_coord() : () -> !cute.coord<"44">
            %252 = cute.memref.load(%rmem, %coord_138) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %253 = arith.mulf %252, %cst_0 : f32
            %254 = arith.subf %253, %70 : f32
            %255 = math.exp2 %254 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_138, %255) : (!memref_rmem_f32, !cute.coord<"44">, f32) -> ()
            %coord_139 = cute.make_coord() : () -> !cute.coord<"45">
            %256 = cute.memref.load(%rmem, %coord_139) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %257 = arith.mulf %256, %cst_0 : f32
            %258 = arith.subf %257, %70 : f32
            %259 = math.exp2 %258 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_139, %259) : (!memref_rmem_f32, !cute.coord<"45">, f32) -> ()
            %coord_140 = cute.make_coord() : () -> !cute.coord<"46">
            %260 = cute.memref.load(%rmem, %coord_140) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %261 = arith.mulf %260, %cst_0 : f32
            %262 = arith.subf %261, %75 : f32
            %263 = math.exp2 %262 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_140, %263) : (!memref_rmem_f32, !cute.coord<"46">, f32) -> ()
            %coord_141 = cute.make_coord() : () -> !cute.coord<"47">
            %264 = cute.memref.load(%rmem, %coord_141) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %265 = arith.mulf %264, %cst_0 : f32
            %266 = arith.subf %265, %75 : f32
            %267 = math.exp2 %266 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_141, %267) : (!memref_rmem_f32, !cute.coord<"47">, f32) -> ()
            %coord_142 = cute.make_coord() : () -> !cute.coord<"48">
            %268 = cute.memref.load(%rmem, %coord_142) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %269 = arith.mulf %268, %cst_0 : f32
            %270 = arith.subf %269, %70 : f32
            %271 = math.exp2 %270 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_142, %271) : (!memref_rmem_f32, !cute.coord<"48">, f32) -> ()
            %coord_143 = cute.make_coord() : () -> !cute.coord<"49">
            %272 = cute.memref.load(%rmem, %coord_143) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %273 = arith.mulf %272, %cst_0 : f32
            %274 = arith.subf %273, %70 : f32
            %275 = math.exp2 %274 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_143, %275) : (!memref_rmem_f32, !cute.coord<"49">, f32) -> ()
            %coord_144 = cute.make_coord() : () -> !cute.coord<"50">
            %276 = cute.memref.load(%rmem, %coord_144) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %277 = arith.mulf %276, %cst_0 : f32
            %278 = arith.subf %277, %75 : f32
            %279 = math.exp2 %278 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_144, %279) : (!memref_rmem_f32, !cute.coord<"50">, f32) -> ()
            %coord_145 = cute.make_coord() : () -> !cute.coord<"51">
            %280 = cute.memref.load(%rmem, %coord_145) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %281 = arith.mulf %280, %cst_0 : f32
            %282 = arith.subf %281, %75 : f32
            %283 = math.exp2 %282 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_145, %283) : (!memref_rmem_f32, !cute.coord<"51">, f32) -> ()
            %coord_146 = cute.make_coord() : () -> !cute.coord<"52">
            %284 = cute.memref.load(%rmem, %coord_146) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %285 = arith.mulf %284, %cst_0 : f32
            %286 = arith.subf %285, %70 : f32
            %287 = math.exp2 %286 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_146, %287) : (!memref_rmem_f32, !cute.coord<"52">, f32) -> ()
            %coord_147 = cute.make_coord() : () -> !cute.coord<"53">
            %288 = cute.memref.load(%rmem, %coord_147) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %289 = arith.mulf %288, %cst_0 : f32
            %290 = arith.subf %289, %70 : f32
            %291 = math.exp2 %290 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_147, %291) : (!memref_rmem_f32, !cute.coord<"53">, f32) -> ()
            %coord_148 = cute.make_coord() : () -> !cute.coord<"54">
            %292 = cute.memref.load(%rmem, %coord_148) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %293 = arith.mulf %292, %cst_0 : f32
            %294 = arith.subf %293, %75 : f32
            %295 = math.exp2 %294 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_148, %295) : (!memref_rmem_f32, !cute.coord<"54">, f32) -> ()
            %coord_149 = cute.make_coord() : () -> !cute.coord<"55">
            %296 = cute.memref.load(%rmem, %coord_149) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %297 = arith.mulf %296, %cst_0 : f32
            %298 = arith.subf %297, %75 : f32
            %299 = math.exp2 %298 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_149, %299) : (!memref_rmem_f32, !cute.coord<"55">, f32) -> ()
            %coord_150 = cute.make_coord() : () -> !cute.coord<"56">
            %300 = cute.memref.load(%rmem, %coord_150) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %301 = arith.mulf %300, %cst_0 : f32
            %302 = arith.subf %301, %70 : f32
            %303 = math.exp2 %302 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_150, %303) : (!memref_rmem_f32, !cute.coord<"56">, f32) -> ()
            %coord_151 = cute.make_coord() : () -> !cute.coord<"57">
            %304 = cute.memref.load(%rmem, %coord_151) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %305 = arith.mulf %304, %cst_0 : f32
            %306 = arith.subf %305, %70 : f32
            %307 = math.exp2 %306 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_151, %307) : (!memref_rmem_f32, !cute.coord<"57">, f32) -> ()
            %coord_152 = cute.make_coord() : () -> !cute.coord<"58">
            %308 = cute.memref.load(%rmem, %coord_152) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %309 = arith.mulf %308, %cst_0 : f32
            %310 = arith.subf %309, %75 : f32
            %311 = math.exp2 %310 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_152, %311) : (!memref_rmem_f32, !cute.coord<"58">, f32) -> ()
            %coord_153 = cute.make_coord() : () -> !cute.coord<"59">
            %312 = cute.memref.load(%rmem, %coord_153) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %313 = arith.mulf %312, %cst_0 : f32
            %314 = arith.subf %313, %75 : f32
            %315 = math.exp2 %314 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_153, %315) : (!memref_rmem_f32, !cute.coord<"59">, f32) -> ()
            %coord_154 = cute.make_coord() : () -> !cute.coord<"60">
            %316 = cute.memref.load(%rmem, %coord_154) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %317 = arith.mulf %316, %cst_0 : f32
            %318 = arith.subf %317, %70 : f32
            %319 = math.exp2 %318 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_154, %319) : (!memref_rmem_f32, !cute.coord<"60">, f32) -> ()
            %coord_155 = cute.make_coord() : () -> !cute.coord<"61">
            %320 = cute.memref.load(%rmem, %coord_155) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %321 = arith.mulf %320, %cst_0 : f32
            %322 = arith.subf %321, %70 : f32
            %323 = math.exp2 %322 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_155, %323) : (!memref_rmem_f32, !cute.coord<"61">, f32) -> ()
            %coord_156 = cute.make_coord() : () -> !cute.coord<"62">
            %324 = cute.memref.load(%rmem, %coord_156) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %325 = arith.mulf %324, %cst_0 : f32
            %326 = arith.subf %325, %75 : f32
            %327 = math.exp2 %326 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_156, %327) : (!memref_rmem_f32, !cute.coord<"62">, f32) -> ()
            %coord_157 = cute.make_coord() : () -> !cute.coord<"63">
            %328 = cute.memref.load(%rmem, %coord_157) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %329 = arith.mulf %328, %cst_0 : f32
            %330 = arith.subf %329, %75 : f32
            %331 = math.exp2 %330 fastmath<fast> : f32
            cute.memref.store(%rmem, %coord_157, %331) : (!memref_rmem_f32, !cute.coord<"63">, f32) -> ()
            %332 = cute.memref.load(%rmem, %coord) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %333 = cute.memref.load(%rmem, %coord_96) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %334 = cute.memref.load(%rmem, %coord_97) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %335 = cute.memref.load(%rmem, %coord_98) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %336 = cute.memref.load(%rmem, %coord_99) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %337 = cute.memref.load(%rmem, %coord_100) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %338 = cute.memref.load(%rmem, %coord_101) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %339 = cute.memref.load(%rmem, %coord_102) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %340 = cute.memref.load(%rmem, %coord_61) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %341 = arith.addf %332, %340 : f32
            %342 = cute.memref.load(%rmem, %coord_103) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %343 = arith.addf %333, %342 : f32
            %344 = cute.memref.load(%rmem, %coord_104) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %345 = arith.addf %334, %344 : f32
            %346 = cute.memref.load(%rmem, %coord_105) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %347 = arith.addf %335, %346 : f32
            %348 = cute.memref.load(%rmem, %coord_106) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %349 = arith.addf %336, %348 : f32
            %350 = cute.memref.load(%rmem, %coord_107) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %351 = arith.addf %337, %350 : f32
            %352 = cute.memref.load(%rmem, %coord_108) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %353 = arith.addf %338, %352 : f32
            %354 = cute.memref.load(%rmem, %coord_109) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %355 = arith.addf %339, %354 : f32
            %356 = cute.memref.load(%rmem, %coord_110) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %357 = arith.addf %341, %356 : f32
            %358 = cute.memref.load(%rmem, %coord_111) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %359 = arith.addf %343, %358 : f32
            %360 = cute.memref.load(%rmem, %coord_112) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %361 = arith.addf %345, %360 : f32
            %362 = cute.memref.load(%rmem, %coord_113) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %363 = arith.addf %347, %362 : f32
            %364 = cute.memref.load(%rmem, %coord_114) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %365 = arith.addf %349, %364 : f32
            %366 = cute.memref.load(%rmem, %coord_115) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %367 = arith.addf %351, %366 : f32
            %368 = cute.memref.load(%rmem, %coord_116) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %369 = arith.addf %353, %368 : f32
            %370 = cute.memref.load(%rmem, %coord_117) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %371 = arith.addf %355, %370 : f32
            %372 = cute.memref.load(%rmem, %coord_118) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %373 = arith.addf %357, %372 : f32
            %374 = cute.memref.load(%rmem, %coord_119) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %375 = arith.addf %359, %374 : f32
            %376 = cute.memref.load(%rmem, %coord_120) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %377 = arith.addf %361, %376 : f32
            %378 = cute.memref.load(%rmem, %coord_121) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %379 = arith.addf %363, %378 : f32
            %380 = cute.memref.load(%rmem, %coord_122) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %381 = arith.addf %365, %380 : f32
            %382 = cute.memref.load(%rmem, %coord_123) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %383 = arith.addf %367, %382 : f32
            %384 = cute.memref.load(%rmem, %coord_124) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %385 = arith.addf %369, %384 : f32
            %386 = cute.memref.load(%rmem, %coord_125) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %387 = arith.addf %371, %386 : f32
            %388 = cute.memref.load(%rmem, %coord_126) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %389 = arith.addf %373, %388 : f32
            %390 = cute.memref.load(%rmem, %coord_127) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %391 = arith.addf %375, %390 : f32
            %392 = cute.memref.load(%rmem, %coord_128) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %393 = arith.addf %377, %392 : f32
            %394 = cute.memref.load(%rmem, %coord_129) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %395 = arith.addf %379, %394 : f32
            %396 = cute.memref.load(%rmem, %coord_130) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %397 = arith.addf %381, %396 : f32
            %398 = cute.memref.load(%rmem, %coord_131) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %399 = arith.addf %383, %398 : f32
            %400 = cute.memref.load(%rmem, %coord_132) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %401 = arith.addf %385, %400 : f32
            %402 = cute.memref.load(%rmem, %coord_133) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %403 = arith.addf %387, %402 : f32
            %404 = cute.memref.load(%rmem, %coord_134) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %405 = arith.addf %389, %404 : f32
            %406 = cute.memref.load(%rmem, %coord_135) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %407 = arith.addf %391, %406 : f32
            %408 = cute.memref.load(%rmem, %coord_136) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %409 = arith.addf %393, %408 : f32
            %410 = cute.memref.load(%rmem, %coord_137) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %411 = arith.addf %395, %410 : f32
            %412 = cute.memref.load(%rmem, %coord_138) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %413 = arith.addf %397, %412 : f32
            %414 = cute.memref.load(%rmem, %coord_139) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %415 = arith.addf %399, %414 : f32
            %416 = cute.memref.load(%rmem, %coord_140) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %417 = arith.addf %401, %416 : f32
            %418 = cute.memref.load(%rmem, %coord_141) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %419 = arith.addf %403, %418 : f32
            %420 = cute.memref.load(%rmem, %coord_142) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %421 = arith.addf %405, %420 : f32
            %422 = cute.memref.load(%rmem, %coord_143) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %423 = arith.addf %407, %422 : f32
            %424 = cute.memref.load(%rmem, %coord_144) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %425 = arith.addf %409, %424 : f32
            %426 = cute.memref.load(%rmem, %coord_145) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %427 = arith.addf %411, %426 : f32
            %428 = cute.memref.load(%rmem, %coord_146) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %429 = arith.addf %413, %428 : f32
            %430 = cute.memref.load(%rmem, %coord_147) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %431 = arith.addf %415, %430 : f32
            %432 = cute.memref.load(%rmem, %coord_148) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %433 = arith.addf %417, %432 : f32
            %434 = cute.memref.load(%rmem, %coord_149) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %435 = arith.addf %419, %434 : f32
            %436 = cute.memref.load(%rmem, %coord_150) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %437 = arith.addf %421, %436 : f32
            %438 = cute.memref.load(%rmem, %coord_151) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %439 = arith.addf %423, %438 : f32
            %440 = cute.memref.load(%rmem, %coord_152) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %441 = arith.addf %425, %440 : f32
            %442 = cute.memref.load(%rmem, %coord_153) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %443 = arith.addf %427, %442 : f32
            %444 = cute.memref.load(%rmem, %coord_154) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %445 = arith.addf %429, %444 : f32
            %446 = cute.memref.load(%rmem, %coord_155) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %447 = arith.addf %431, %446 : f32
            %448 = cute.memref.load(%rmem, %coord_156) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %449 = arith.addf %433, %448 : f32
            %450 = cute.memref.load(%rmem, %coord_157) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %451 = arith.addf %435, %450 : f32
            %452 = arith.addf %437, %439 : f32
            %453 = arith.addf %445, %447 : f32
            %454 = arith.addf %452, %453 : f32
            %455 = arith.addf %441, %443 : f32
            %456 = arith.addf %449, %451 : f32
            %457 = arith.addf %455, %456 : f32
            %atom_158 = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>
            %458 = cute.make_tiled_mma(%atom_158) : !mma_bf16_bf16_f32_64x128x16_1
            %rmem_159 = cute.memref.alloca() : !memref_rmem_bf16
            %iter_160 = cute.get_iter(%rmem_159) : !memref_rmem_bf16
            %shape_161 = cute.make_shape() : () -> !cute.shape<"64">
            %lay_162 = cute.make_layout(%shape_161) : !cute.layout<"64:1">
            %view_163 = cute.make_view(%iter_71, %lay_162) : !memref_rmem_f32_1
            %view_164 = cute.make_view(%iter_160, %lay_162) : !memref_rmem_bf16_1
            %459 = cute.memref.load_vec(%view_163) : (!memref_rmem_f32_1) -> vector<64xf32>
            %460 = arith.truncf %459 : vector<64xf32> to vector<64xbf16>
            cute.memref.store_vec(%460, %view_164) : (vector<64xbf16>, !memref_rmem_bf16_1) -> ()
            %ptn_B_165 = cute.tiled.mma.partition B (%458, %view_21, %coord) : (!mma_bf16_bf16_f32_64x128x16_1, !memref_smem_bf16_1, !cute.coord<"0">) -> !memref_smem_bf16_18
            %frg_B_166 = cute.mma.make_fragment B (%458, %ptn_B_165) : (!mma_bf16_bf16_f32_64x128x16_1, !memref_smem_bf16_18) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8,(1,2)):(0,0,128,(0,2048))">
            %slice_167 = cute.slice(%frg_B_166, %coord_69) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8,(1,2)):(0,0,128,(0,2048))">, !cute.coord<"(_,_,_,?)">
            %rmem_168 = cute.memref.alloca() : !memref_rmem_f32
            nvvm.wgmma.fence.aligned
            %461 = cute_nvgpu.atom.set_value<accum_c>(%atom_158, %false) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_169 = cute.slice(%rmem_159, %coord_72) : !memref_rmem_bf16, !cute.coord<"(_,_,0)">
            %slice_170 = cute.slice(%slice_167, %coord_72) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,0)">
            cute.gemm(%461, %rmem_168, %slice_169, %slice_170, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %462 = cute_nvgpu.atom.set_value<accum_c>(%461, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_171 = cute.slice(%rmem_159, %coord_75) : !memref_rmem_bf16, !cute.coord<"(_,_,1)">
            %slice_172 = cute.slice(%slice_167, %coord_75) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,1)">
            cute.gemm(%462, %rmem_168, %slice_171, %slice_172, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %463 = cute_nvgpu.atom.set_value<accum_c>(%462, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_173 = cute.slice(%rmem_159, %coord_78) : !memref_rmem_bf16, !cute.coord<"(_,_,2)">
            %slice_174 = cute.slice(%slice_167, %coord_78) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,2)">
            cute.gemm(%463, %rmem_168, %slice_173, %slice_174, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %464 = cute_nvgpu.atom.set_value<accum_c>(%463, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_175 = cute.slice(%rmem_159, %coord_81) : !memref_rmem_bf16, !cute.coord<"(_,_,3)">
            %slice_176 = cute.slice(%slice_167, %coord_81) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,3)">
            cute.gemm(%464, %rmem_168, %slice_175, %slice_176, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %465 = cute_nvgpu.atom.set_value<accum_c>(%464, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_177 = cute.slice(%rmem_159, %coord_84) : !memref_rmem_bf16, !cute.coord<"(_,_,4)">
            %slice_178 = cute.slice(%slice_167, %coord_84) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,4)">
            cute.gemm(%465, %rmem_168, %slice_177, %slice_178, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %466 = cute_nvgpu.atom.set_value<accum_c>(%465, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_179 = cute.slice(%rmem_159, %coord_87) : !memref_rmem_bf16, !cute.coord<"(_,_,5)">
            %slice_180 = cute.slice(%slice_167, %coord_87) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,5)">
            cute.gemm(%466, %rmem_168, %slice_179, %slice_180, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %467 = cute_nvgpu.atom.set_value<accum_c>(%466, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_181 = cute.slice(%rmem_159, %coord_90) : !memref_rmem_bf16, !cute.coord<"(_,_,6)">
            %slice_182 = cute.slice(%slice_167, %coord_90) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,6)">
            cute.gemm(%467, %rmem_168, %slice_181, %slice_182, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_2, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            %468 = cute_nvgpu.atom.set_value<accum_c>(%467, %true) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, i1)
            %slice_183 = cute.slice(%rmem_159, %coord_93) : !memref_rmem_bf16, !cute.coord<"(_,_,7)">
            %slice_184 = cute.slice(%slice_167, %coord_93) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,8):(0,0,128)">, !cute.coord<"(_,_,7)">
            cute.gemm(%468, %rmem_168, %slice_183, %slice_184, %rmem_168) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs>, !memref_rmem_f32, !memref_rmem_bf16_3, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !memref_rmem_f32)
            nvvm.wgmma.commit.group.sync.aligned
            %469 = arith.cmpi eq, %62, %c1_i32 : i32
            %470 = arith.select %469, %457, %454 : f32
            %471 = arith.select %469, %454, %457 : f32
            %472 = nvvm.shfl.sync bfly %c-1_i32, %471, %c1_i32, %c31_i32 : f32 -> f32
            %473 = arith.addf %470, %472 : f32
            %474 = nvvm.shfl.sync bfly %c-1_i32, %473, %c2_i32, %c31_i32 : f32 -> f32
            %475 = arith.addf %473, %474 : f32
            nvvm.wgmma.wait.group.sync.aligned 0
            %476 = arith.addi %38, %35 : i32
            %477 = cute.ptrtoint(%iter_24) : !cute.ptr<bf16, smem, align<1024>, S<3,4,3>> to i32
            %478 = arith.muli %476, %c16384_i32 : i32
            %479 = arith.addi %477, %478 : i32
            %480 = arith.muli %40, %c4096_i32 : i32
            %481 = arith.addi %479, %480 : i32
            %482 = cute.ptrtoint(%arg6) : !cute.ptr<bf16, gmem, align<16>> to i64
            %483 = arith.muli %44, %c8192_i64 : i64
            %484 = arith.addi %482, %483 : i64
            %485 = arith.extsi %481 : i32 to i64
            %iv = cute.assume(%485) : (i64) -> !cute.i64<divby 16>
            %486 = cute.inttoptr(%iv) : !cute.i64<divby 16> to !cute.ptr<i32, smem, align<16>>
            %shape_185 = cute.make_shape() : () -> !cute.shape<"(4,32,8)">
            %lay_186 = cute.make_layout(%shape_185) : !cute.layout<"(4,32,8):(1,4,128)">
            %view_187 = cute.make_view(%486, %lay_186) : !memref_smem_i32_3
            %rmem_188 = cute.memref.alloca() : !memref_rmem_i32
            %487 = cute.memref.load(%rmem_168, %coord) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %488 = arith.mulf %487, %23 : f32
            %489 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %488 : (f32) -> f32
            %490 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%489 : f32) -> i32
            cute.memref.store(%rmem_188, %coord, %490) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %491 = cute.memref.load(%rmem_168, %coord_96) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %492 = arith.mulf %491, %23 : f32
            %493 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %492 : (f32) -> f32
            %494 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%493 : f32) -> i32
            cute.memref.store(%rmem_188, %coord_96, %494) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %495 = cute.memref.load(%rmem_168, %coord_97) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %496 = arith.mulf %495, %23 : f32
            %497 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %496 : (f32) -> f32
            %498 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%497 : f32) -> i32
            cute.memref.store(%rmem_188, %coord_97, %498) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %499 = cute.memref.load(%rmem_168, %coord_98) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %500 = arith.mulf %499, %23 : f32
            %501 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %500 : (f32) -> f32
            %502 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%501 : f32) -> i32
            cute.memref.store(%rmem_188, %coord_98, %502) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_189 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,0)">
            %slice_190 = cute.slice(%view_187, %coord_189) : !memref_smem_i32_3, !cute.coord<"(_,?,0)">
            %lay_191 = cute.get_layout(%rmem_188) : !memref_rmem_i32
            %lay_192 = cute.get_layout(%slice_190) : !memref_smem_i32_4
            %rinv = cute.right_inverse(%lay_192) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %503 = cute.composition(%lay_191, %rinv) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce = cute.coalesce(%503) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %504 = cute.composition(%rinv, %coalesce) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div = cute.logical_divide(%rmem_188, %504) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_193 = cute.logical_divide(%slice_190, %504) : !memref_smem_i32_4, !cute.layout<"4:1">
            %shape_194 = cute.make_shape() : () -> !cute.shape<"4">
            %lay_195 = cute.make_layout(%shape_194) : !cute.layout<"4:1">
            %div_196 = cute.logical_divide(%div, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_197 = cute.logical_divide(%div_193, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            %atom_198 = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<i32, 128 b>
            cute.copy(%atom_198, %div_196, %div_197) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_199 = cute.memref.alloca() : !memref_rmem_i32
            %505 = cute.memref.load(%rmem_168, %coord_99) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %506 = arith.mulf %505, %23 : f32
            %507 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %506 : (f32) -> f32
            %508 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%507 : f32) -> i32
            cute.memref.store(%rmem_199, %coord, %508) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %509 = cute.memref.load(%rmem_168, %coord_100) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %510 = arith.mulf %509, %23 : f32
            %511 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %510 : (f32) -> f32
            %512 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%511 : f32) -> i32
            cute.memref.store(%rmem_199, %coord_96, %512) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %513 = cute.memref.load(%rmem_168, %coord_101) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %514 = arith.mulf %513, %23 : f32
            %515 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %514 : (f32) -> f32
            %516 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%515 : f32) -> i32
            cute.memref.store(%rmem_199, %coord_97, %516) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %517 = cute.memref.load(%rmem_168, %coord_102) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %518 = arith.mulf %517, %23 : f32
            %519 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %518 : (f32) -> f32
            %520 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%519 : f32) -> i32
            cute.memref.store(%rmem_199, %coord_98, %520) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_200 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,1)">
            %slice_201 = cute.slice(%view_187, %coord_200) : !memref_smem_i32_3, !cute.coord<"(_,?,1)">
            %lay_202 = cute.get_layout(%rmem_199) : !memref_rmem_i32
            %lay_203 = cute.get_layout(%slice_201) : !memref_smem_i32_4
            %rinv_204 = cute.right_inverse(%lay_203) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %521 = cute.composition(%lay_202, %rinv_204) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_205 = cute.coalesce(%521) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %522 = cute.composition(%rinv_204, %coalesce_205) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_206 = cute.logical_divide(%rmem_199, %522) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_207 = cute.logical_divide(%slice_201, %522) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_208 = cute.logical_divide(%div_206, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_209 = cute.logical_divide(%div_207, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_208, %div_209) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_210 = cute.memref.alloca() : !memref_rmem_i32
            %523 = cute.memref.load(%rmem_168, %coord_61) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %524 = arith.mulf %523, %23 : f32
            %525 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %524 : (f32) -> f32
            %526 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%525 : f32) -> i32
            cute.memref.store(%rmem_210, %coord, %526) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %527 = cute.memref.load(%rmem_168, %coord_103) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %528 = arith.mulf %527, %23 : f32
            %529 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %528 : (f32) -> f32
            %530 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%529 : f32) -> i32
            cute.memref.store(%rmem_210, %coord_96, %530) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %531 = cute.memref.load(%rmem_168, %coord_104) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %532 = arith.mulf %531, %23 : f32
            %533 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %532 : (f32) -> f32
            %534 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%533 : f32) -> i32
            cute.memref.store(%rmem_210, %coord_97, %534) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %535 = cute.memref.load(%rmem_168, %coord_105) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %536 = arith.mulf %535, %23 : f32
            %537 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %536 : (f32) -> f32
            %538 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%537 : f32) -> i32
            cute.memref.store(%rmem_210, %coord_98, %538) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_211 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,2)">
            %slice_212 = cute.slice(%view_187, %coord_211) : !memref_smem_i32_3, !cute.coord<"(_,?,2)">
            %lay_213 = cute.get_layout(%rmem_210) : !memref_rmem_i32
            %lay_214 = cute.get_layout(%slice_212) : !memref_smem_i32_4
            %rinv_215 = cute.right_inverse(%lay_214) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %539 = cute.composition(%lay_213, %rinv_215) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_216 = cute.coalesce(%539) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %540 = cute.composition(%rinv_215, %coalesce_216) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_217 = cute.logical_divide(%rmem_210, %540) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_218 = cute.logical_divide(%slice_212, %540) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_219 = cute.logical_divide(%div_217, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_220 = cute.logical_divide(%div_218, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_219, %div_220) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_221 = cute.memref.alloca() : !memref_rmem_i32
            %541 = cute.memref.load(%rmem_168, %coord_106) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %542 = arith.mulf %541, %23 : f32
            %543 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %542 : (f32) -> f32
            %544 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%543 : f32) -> i32
            cute.memref.store(%rmem_221, %coord, %544) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %545 = cute.memref.load(%rmem_168, %coord_107) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %546 = arith.mulf %545, %23 : f32
            %547 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %546 : (f32) -> f32
            %548 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%547 : f32) -> i32
            cute.memref.store(%rmem_221, %coord_96, %548) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %549 = cute.memref.load(%rmem_168, %coord_108) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %550 = arith.mulf %549, %23 : f32
            %551 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %550 : (f32) -> f32
            %552 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%551 : f32) -> i32
            cute.memref.store(%rmem_221, %coord_97, %552) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %553 = cute.memref.load(%rmem_168, %coord_109) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %554 = arith.mulf %553, %23 : f32
            %555 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %554 : (f32) -> f32
            %556 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%555 : f32) -> i32
            cute.memref.store(%rmem_221, %coord_98, %556) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_222 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,3)">
            %slice_223 = cute.slice(%view_187, %coord_222) : !memref_smem_i32_3, !cute.coord<"(_,?,3)">
            %lay_224 = cute.get_layout(%rmem_221) : !memref_rmem_i32
            %lay_225 = cute.get_layout(%slice_223) : !memref_smem_i32_4
            %rinv_226 = cute.right_inverse(%lay_225) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %557 = cute.composition(%lay_224, %rinv_226) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_227 = cute.coalesce(%557) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %558 = cute.composition(%rinv_226, %coalesce_227) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_228 = cute.logical_divide(%rmem_221, %558) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_229 = cute.logical_divide(%slice_223, %558) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_230 = cute.logical_divide(%div_228, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_231 = cute.logical_divide(%div_229, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_230, %div_231) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_232 = cute.memref.alloca() : !memref_rmem_i32
            %559 = cute.memref.load(%rmem_168, %coord_110) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %560 = arith.mulf %559, %23 : f32
            %561 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %560 : (f32) -> f32
            %562 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%561 : f32) -> i32
            cute.memref.store(%rmem_232, %coord, %562) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %563 = cute.memref.load(%rmem_168, %coord_111) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %564 = arith.mulf %563, %23 : f32
            %565 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %564 : (f32) -> f32
            %566 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%565 : f32) -> i32
            cute.memref.store(%rmem_232, %coord_96, %566) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %567 = cute.memref.load(%rmem_168, %coord_112) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %568 = arith.mulf %567, %23 : f32
            %569 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %568 : (f32) -> f32
            %570 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%569 : f32) -> i32
            cute.memref.store(%rmem_232, %coord_97, %570) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %571 = cute.memref.load(%rmem_168, %coord_113) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %572 = arith.mulf %571, %23 : f32
            %573 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %572 : (f32) -> f32
            %574 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%573 : f32) -> i32
            cute.memref.store(%rmem_232, %coord_98, %574) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_233 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,4)">
            %slice_234 = cute.slice(%view_187, %coord_233) : !memref_smem_i32_3, !cute.coord<"(_,?,4)">
            %lay_235 = cute.get_layout(%rmem_232) : !memref_rmem_i32
            %lay_236 = cute.get_layout(%slice_234) : !memref_smem_i32_4
            %rinv_237 = cute.right_inverse(%lay_236) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %575 = cute.composition(%lay_235, %rinv_237) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_238 = cute.coalesce(%575) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %576 = cute.composition(%rinv_237, %coalesce_238) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_239 = cute.logical_divide(%rmem_232, %576) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_240 = cute.logical_divide(%slice_234, %576) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_241 = cute.logical_divide(%div_239, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_242 = cute.logical_divide(%div_240, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_241, %div_242) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_243 = cute.memref.alloca() : !memref_rmem_i32
            %577 = cute.memref.load(%rmem_168, %coord_114) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %578 = arith.mulf %577, %23 : f32
            %579 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %578 : (f32) -> f32
            %580 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%579 : f32) -> i32
            cute.memref.store(%rmem_243, %coord, %580) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %581 = cute.memref.load(%rmem_168, %coord_115) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %582 = arith.mulf %581, %23 : f32
            %583 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %582 : (f32) -> f32
            %584 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%583 : f32) -> i32
            cute.memref.store(%rmem_243, %coord_96, %584) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %585 = cute.memref.load(%rmem_168, %coord_116) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %586 = arith.mulf %585, %23 : f32
            %587 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %586 : (f32) -> f32
            %588 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%587 : f32) -> i32
            cute.memref.store(%rmem_243, %coord_97, %588) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %589 = cute.memref.load(%rmem_168, %coord_117) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %590 = arith.mulf %589, %23 : f32
            %591 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %590 : (f32) -> f32
            %592 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%591 : f32) -> i32
            cute.memref.store(%rmem_243, %coord_98, %592) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_244 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,5)">
            %slice_245 = cute.slice(%view_187, %coord_244) : !memref_smem_i32_3, !cute.coord<"(_,?,5)">
            %lay_246 = cute.get_layout(%rmem_243) : !memref_rmem_i32
            %lay_247 = cute.get_layout(%slice_245) : !memref_smem_i32_4
            %rinv_248 = cute.right_inverse(%lay_247) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %593 = cute.composition(%lay_246, %rinv_248) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_249 = cute.coalesce(%593) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %594 = cute.composition(%rinv_248, %coalesce_249) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_250 = cute.logical_divide(%rmem_243, %594) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_251 = cute.logical_divide(%slice_245, %594) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_252 = cute.logical_divide(%div_250, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_253 = cute.logical_divide(%div_251, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_252, %div_253) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_254 = cute.memref.alloca() : !memref_rmem_i32
            %595 = cute.memref.load(%rmem_168, %coord_118) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %596 = arith.mulf %595, %23 : f32
            %597 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %596 : (f32) -> f32
            %598 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%597 : f32) -> i32
            cute.memref.store(%rmem_254, %coord, %598) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %599 = cute.memref.load(%rmem_168, %coord_119) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %600 = arith.mulf %599, %23 : f32
            %601 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %600 : (f32) -> f32
            %602 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%601 : f32) -> i32
            cute.memref.store(%rmem_254, %coord_96, %602) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %603 = cute.memref.load(%rmem_168, %coord_120) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %604 = arith.mulf %603, %23 : f32
            %605 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %604 : (f32) -> f32
            %606 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%605 : f32) -> i32
            cute.memref.store(%rmem_254, %coord_97, %606) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %607 = cute.memref.load(%rmem_168, %coord_121) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %608 = arith.mulf %607, %23 : f32
            %609 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %608 : (f32) -> f32
            %610 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%609 : f32) -> i32
            cute.memref.store(%rmem_254, %coord_98, %610) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_255 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,6)">
            %slice_256 = cute.slice(%view_187, %coord_255) : !memref_smem_i32_3, !cute.coord<"(_,?,6)">
            %lay_257 = cute.get_layout(%rmem_254) : !memref_rmem_i32
            %lay_258 = cute.get_layout(%slice_256) : !memref_smem_i32_4
            %rinv_259 = cute.right_inverse(%lay_258) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %611 = cute.composition(%lay_257, %rinv_259) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_260 = cute.coalesce(%611) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %612 = cute.composition(%rinv_259, %coalesce_260) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_261 = cute.logical_divide(%rmem_254, %612) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_262 = cute.logical_divide(%slice_256, %612) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_263 = cute.logical_divide(%div_261, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_264 = cute.logical_divide(%div_262, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_263, %div_264) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_265 = cute.memref.alloca() : !memref_rmem_i32
            %613 = cute.memref.load(%rmem_168, %coord_122) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %614 = arith.mulf %613, %23 : f32
            %615 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %614 : (f32) -> f32
            %616 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%615 : f32) -> i32
            cute.memref.store(%rmem_265, %coord, %616) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %617 = cute.memref.load(%rmem_168, %coord_123) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %618 = arith.mulf %617, %23 : f32
            %619 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %618 : (f32) -> f32
            %620 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%619 : f32) -> i32
            cute.memref.store(%rmem_265, %coord_96, %620) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %621 = cute.memref.load(%rmem_168, %coord_124) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %622 = arith.mulf %621, %23 : f32
            %623 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %622 : (f32) -> f32
            %624 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%623 : f32) -> i32
            cute.memref.store(%rmem_265, %coord_97, %624) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %625 = cute.memref.load(%rmem_168, %coord_125) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %626 = arith.mulf %625, %23 : f32
            %627 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %626 : (f32) -> f32
            %628 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%627 : f32) -> i32
            cute.memref.store(%rmem_265, %coord_98, %628) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %coord_266 = cute.make_coord(%20) : (i32) -> !cute.coord<"(_,?,7)">
            %slice_267 = cute.slice(%view_187, %coord_266) : !memref_smem_i32_3, !cute.coord<"(_,?,7)">
            %lay_268 = cute.get_layout(%rmem_265) : !memref_rmem_i32
            %lay_269 = cute.get_layout(%slice_267) : !memref_smem_i32_4
            %rinv_270 = cute.right_inverse(%lay_269) : (!cute.layout<"(4):(1)">) -> !cute.layout<"4:1">
            %629 = cute.composition(%lay_268, %rinv_270) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_271 = cute.coalesce(%629) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %630 = cute.composition(%rinv_270, %coalesce_271) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_272 = cute.logical_divide(%rmem_265, %630) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_273 = cute.logical_divide(%slice_267, %630) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_274 = cute.logical_divide(%div_272, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_275 = cute.logical_divide(%div_273, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_274, %div_275) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
            nvvm.bar.warp.sync %c-1_i32 : i32
            %631 = arith.cmpi sge, %41, %c0_i32 : i32
            %632 = arith.cmpi eq, %20, %c0_i32 : i32
            %633 = arith.andi %631, %632 : i1
            scf.if %633 {
              nvvm.inline_ptx "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [{$r0}], [{$r1}], {$r2};" ro(%484, %481, %c4096_i32 : i64, i32, i32)
            }
            nvvm.cp.async.bulk.commit.group
            nvvm.cp.async.bulk.wait_group 0 {read}
            nvvm.bar.warp.sync %c-1_i32 : i32
            %rmem_276 = cute.memref.alloca() : !memref_rmem_i32
            %634 = cute.memref.load(%rmem_168, %coord_126) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %635 = arith.mulf %634, %23 : f32
            %636 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %635 : (f32) -> f32
            %637 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%636 : f32) -> i32
            cute.memref.store(%rmem_276, %coord, %637) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %638 = cute.memref.load(%rmem_168, %coord_127) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %639 = arith.mulf %638, %23 : f32
            %640 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %639 : (f32) -> f32
            %641 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%640 : f32) -> i32
            cute.memref.store(%rmem_276, %coord_96, %641) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %642 = cute.memref.load(%rmem_168, %coord_128) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %643 = arith.mulf %642, %23 : f32
            %644 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %643 : (f32) -> f32
            %645 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%644 : f32) -> i32
            cute.memref.store(%rmem_276, %coord_97, %645) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %646 = cute.memref.load(%rmem_168, %coord_129) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %647 = arith.mulf %646, %23 : f32
            %648 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %647 : (f32) -> f32
            %649 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%648 : f32) -> i32
            cute.memref.store(%rmem_276, %coord_98, %649) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_277 = cute.get_layout(%rmem_276) : !memref_rmem_i32
            %650 = cute.composition(%lay_277, %rinv) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_278 = cute.coalesce(%650) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %651 = cute.composition(%rinv, %coalesce_278) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_279 = cute.logical_divide(%rmem_276, %651) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_280 = cute.logical_divide(%slice_190, %651) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_281 = cute.logical_divide(%div_279, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_282 = cute.logical_divide(%div_280, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_281, %div_282) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_283 = cute.memref.alloca() : !memref_rmem_i32
            %652 = cute.memref.load(%rmem_168, %coord_130) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %653 = arith.mulf %652, %23 : f32
            %654 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %653 : (f32) -> f32
            %655 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%654 : f32) -> i32
            cute.memref.store(%rmem_283, %coord, %655) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %656 = cute.memref.load(%rmem_168, %coord_131) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %657 = arith.mulf %656, %23 : f32
            %658 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %657 : (f32) -> f32
            %659 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%658 : f32) -> i32
            cute.memref.store(%rmem_283, %coord_96, %659) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %660 = cute.memref.load(%rmem_168, %coord_132) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %661 = arith.mulf %660, %23 : f32
            %662 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %661 : (f32) -> f32
            %663 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%662 : f32) -> i32
            cute.memref.store(%rmem_283, %coord_97, %663) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %664 = cute.memref.load(%rmem_168, %coord_133) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %665 = arith.mulf %664, %23 : f32
            %666 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %665 : (f32) -> f32
            %667 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%666 : f32) -> i32
            cute.memref.store(%rmem_283, %coord_98, %667) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_284 = cute.get_layout(%rmem_283) : !memref_rmem_i32
            %668 = cute.composition(%lay_284, %rinv_204) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_285 = cute.coalesce(%668) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %669 = cute.composition(%rinv_204, %coalesce_285) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_286 = cute.logical_divide(%rmem_283, %669) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_287 = cute.logical_divide(%slice_201, %669) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_288 = cute.logical_divide(%div_286, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_289 = cute.logical_divide(%div_287, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_288, %div_289) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_290 = cute.memref.alloca() : !memref_rmem_i32
            %670 = cute.memref.load(%rmem_168, %coord_134) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %671 = arith.mulf %670, %23 : f32
            %672 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %671 : (f32) -> f32
            %673 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%672 : f32) -> i32
            cute.memref.store(%rmem_290, %coord, %673) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %674 = cute.memref.load(%rmem_168, %coord_135) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %675 = arith.mulf %674, %23 : f32
            %676 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %675 : (f32) -> f32
            %677 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%676 : f32) -> i32
            cute.memref.store(%rmem_290, %coord_96, %677) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %678 = cute.memref.load(%rmem_168, %coord_136) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %679 = arith.mulf %678, %23 : f32
            %680 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %679 : (f32) -> f32
            %681 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%680 : f32) -> i32
            cute.memref.store(%rmem_290, %coord_97, %681) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %682 = cute.memref.load(%rmem_168, %coord_137) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %683 = arith.mulf %682, %23 : f32
            %684 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %683 : (f32) -> f32
            %685 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%684 : f32) -> i32
            cute.memref.store(%rmem_290, %coord_98, %685) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_291 = cute.get_layout(%rmem_290) : !memref_rmem_i32
            %686 = cute.composition(%lay_291, %rinv_215) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_292 = cute.coalesce(%686) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %687 = cute.composition(%rinv_215, %coalesce_292) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_293 = cute.logical_divide(%rmem_290, %687) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_294 = cute.logical_divide(%slice_212, %687) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_295 = cute.logical_divide(%div_293, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_296 = cute.logical_divide(%div_294, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_295, %div_296) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_297 = cute.memref.alloca() : !memref_rmem_i32
            %688 = cute.memref.load(%rmem_168, %coord_138) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %689 = arith.mulf %688, %23 : f32
            %690 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %689 : (f32) -> f32
            %691 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%690 : f32) -> i32
            cute.memref.store(%rmem_297, %coord, %691) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %692 = cute.memref.load(%rmem_168, %coord_139) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %693 = arith.mulf %692, %23 : f32
            %694 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %693 : (f32) -> f32
            %695 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%694 : f32) -> i32
            cute.memref.store(%rmem_297, %coord_96, %695) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %696 = cute.memref.load(%rmem_168, %coord_140) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %697 = arith.mulf %696, %23 : f32
            %698 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %697 : (f32) -> f32
            %699 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%698 : f32) -> i32
            cute.memref.store(%rmem_297, %coord_97, %699) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %700 = cute.memref.load(%rmem_168, %coord_141) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %701 = arith.mulf %700, %23 : f32
            %702 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %701 : (f32) -> f32
            %703 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%702 : f32) -> i32
            cute.memref.store(%rmem_297, %coord_98, %703) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_298 = cute.get_layout(%rmem_297) : !memref_rmem_i32
            %704 = cute.composition(%lay_298, %rinv_226) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_299 = cute.coalesce(%704) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %705 = cute.composition(%rinv_226, %coalesce_299) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_300 = cute.logical_divide(%rmem_297, %705) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_301 = cute.logical_divide(%slice_223, %705) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_302 = cute.logical_divide(%div_300, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_303 = cute.logical_divide(%div_301, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_302, %div_303) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_304 = cute.memref.alloca() : !memref_rmem_i32
            %706 = cute.memref.load(%rmem_168, %coord_142) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %707 = arith.mulf %706, %23 : f32
            %708 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %707 : (f32) -> f32
            %709 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%708 : f32) -> i32
            cute.memref.store(%rmem_304, %coord, %709) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %710 = cute.memref.load(%rmem_168, %coord_143) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %711 = arith.mulf %710, %23 : f32
            %712 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %711 : (f32) -> f32
            %713 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%712 : f32) -> i32
            cute.memref.store(%rmem_304, %coord_96, %713) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %714 = cute.memref.load(%rmem_168, %coord_144) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %715 = arith.mulf %714, %23 : f32
            %716 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %715 : (f32) -> f32
            %717 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%716 : f32) -> i32
            cute.memref.store(%rmem_304, %coord_97, %717) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %718 = cute.memref.load(%rmem_168, %coord_145) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %719 = arith.mulf %718, %23 : f32
            %720 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %719 : (f32) -> f32
            %721 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%720 : f32) -> i32
            cute.memref.store(%rmem_304, %coord_98, %721) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_305 = cute.get_layout(%rmem_304) : !memref_rmem_i32
            %722 = cute.composition(%lay_305, %rinv_237) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_306 = cute.coalesce(%722) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %723 = cute.composition(%rinv_237, %coalesce_306) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_307 = cute.logical_divide(%rmem_304, %723) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_308 = cute.logical_divide(%slice_234, %723) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_309 = cute.logical_divide(%div_307, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_310 = cute.logical_divide(%div_308, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_309, %div_310) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_311 = cute.memref.alloca() : !memref_rmem_i32
            %724 = cute.memref.load(%rmem_168, %coord_146) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %725 = arith.mulf %724, %23 : f32
            %726 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %725 : (f32) -> f32
            %727 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%726 : f32) -> i32
            cute.memref.store(%rmem_311, %coord, %727) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %728 = cute.memref.load(%rmem_168, %coord_147) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %729 = arith.mulf %728, %23 : f32
            %730 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %729 : (f32) -> f32
            %731 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%730 : f32) -> i32
            cute.memref.store(%rmem_311, %coord_96, %731) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %732 = cute.memref.load(%rmem_168, %coord_148) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %733 = arith.mulf %732, %23 : f32
            %734 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %733 : (f32) -> f32
            %735 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%734 : f32) -> i32
            cute.memref.store(%rmem_311, %coord_97, %735) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %736 = cute.memref.load(%rmem_168, %coord_149) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %737 = arith.mulf %736, %23 : f32
            %738 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %737 : (f32) -> f32
            %739 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%738 : f32) -> i32
            cute.memref.store(%rmem_311, %coord_98, %739) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_312 = cute.get_layout(%rmem_311) : !memref_rmem_i32
            %740 = cute.composition(%lay_312, %rinv_248) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_313 = cute.coalesce(%740) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %741 = cute.composition(%rinv_248, %coalesce_313) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_314 = cute.logical_divide(%rmem_311, %741) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_315 = cute.logical_divide(%slice_245, %741) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_316 = cute.logical_divide(%div_314, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_317 = cute.logical_divide(%div_315, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_316, %div_317) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_318 = cute.memref.alloca() : !memref_rmem_i32
            %742 = cute.memref.load(%rmem_168, %coord_150) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %743 = arith.mulf %742, %23 : f32
            %744 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %743 : (f32) -> f32
            %745 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%744 : f32) -> i32
            cute.memref.store(%rmem_318, %coord, %745) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %746 = cute.memref.load(%rmem_168, %coord_151) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %747 = arith.mulf %746, %23 : f32
            %748 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %747 : (f32) -> f32
            %749 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%748 : f32) -> i32
            cute.memref.store(%rmem_318, %coord_96, %749) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %750 = cute.memref.load(%rmem_168, %coord_152) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %751 = arith.mulf %750, %23 : f32
            %752 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %751 : (f32) -> f32
            %753 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%752 : f32) -> i32
            cute.memref.store(%rmem_318, %coord_97, %753) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %754 = cute.memref.load(%rmem_168, %coord_153) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %755 = arith.mulf %754, %23 : f32
            %756 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %755 : (f32) -> f32
            %757 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%756 : f32) -> i32
            cute.memref.store(%rmem_318, %coord_98, %757) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_319 = cute.get_layout(%rmem_318) : !memref_rmem_i32
            %758 = cute.composition(%lay_319, %rinv_259) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_320 = cute.coalesce(%758) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %759 = cute.composition(%rinv_259, %coalesce_320) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_321 = cute.logical_divide(%rmem_318, %759) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_322 = cute.logical_divide(%slice_256, %759) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_323 = cute.logical_divide(%div_321, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_324 = cute.logical_divide(%div_322, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_323, %div_324) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            %rmem_325 = cute.memref.alloca() : !memref_rmem_i32
            %760 = cute.memref.load(%rmem_168, %coord_154) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %761 = arith.mulf %760, %23 : f32
            %762 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %761 : (f32) -> f32
            %763 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%762 : f32) -> i32
            cute.memref.store(%rmem_325, %coord, %763) : (!memref_rmem_i32, !cute.coord<"0">, i32) -> ()
            %764 = cute.memref.load(%rmem_168, %coord_155) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %765 = arith.mulf %764, %23 : f32
            %766 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %765 : (f32) -> f32
            %767 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%766 : f32) -> i32
            cute.memref.store(%rmem_325, %coord_96, %767) : (!memref_rmem_i32, !cute.coord<"1">, i32) -> ()
            %768 = cute.memref.load(%rmem_168, %coord_156) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %769 = arith.mulf %768, %23 : f32
            %770 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %769 : (f32) -> f32
            %771 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%770 : f32) -> i32
            cute.memref.store(%rmem_325, %coord_97, %771) : (!memref_rmem_i32, !cute.coord<"2">, i32) -> ()
            %772 = cute.memref.load(%rmem_168, %coord_157) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %773 = arith.mulf %772, %23 : f32
            %774 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %773 : (f32) -> f32
            %775 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%774 : f32) -> i32
            cute.memref.store(%rmem_325, %coord_98, %775) : (!memref_rmem_i32, !cute.coord<"3">, i32) -> ()
            %lay_326 = cute.get_layout(%rmem_325) : !memref_rmem_i32
            %776 = cute.composition(%lay_326, %rinv_270) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %coalesce_327 = cute.coalesce(%776) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
            %777 = cute.composition(%rinv_270, %coalesce_327) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"4:1">
            %div_328 = cute.logical_divide(%rmem_325, %777) : !memref_rmem_i32, !cute.layout<"4:1">
            %div_329 = cute.logical_divide(%slice_267, %777) : !memref_smem_i32_4, !cute.layout<"4:1">
            %div_330 = cute.logical_divide(%div_328, %lay_195) : !memref_rmem_i32_1, !cute.layout<"4:1">
            %div_331 = cute.logical_divide(%div_329, %lay_195) : !memref_smem_i32_5, !cute.layout<"4:1">
            cute.copy(%atom_198, %div_330, %div_331) : (!cute_nvgpu.atom.universal_copy<i32, 128 b>, !memref_rmem_i32_1, !memref_smem_i32_5)
            nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
            nvvm.bar.warp.sync %c-1_i32 : i32
            scf.if %633 {
              %1175 = arith.addi %484, %c4096_i64 : i64
              nvvm.inline_ptx "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [{$r0}], [{$r1}], {$r2};" ro(%1175, %481, %c4096_i32 : i64, i32, i32)
            }
            nvvm.cp.async.bulk.commit.group
            nvvm.cp.async.bulk.wait_group 0 {read}
            nvvm.bar.warp.sync %c-1_i32 : i32
            %778 = cute.memref.load(%rmem_168, %coord) : (!memref_rmem_f32, !cute.coord<"0">) -> f32
            %779 = cute.memref.load(%rmem_168, %coord_96) : (!memref_rmem_f32, !cute.coord<"1">) -> f32
            %780 = cute.memref.load(%rmem_168, %coord_97) : (!memref_rmem_f32, !cute.coord<"2">) -> f32
            %781 = cute.memref.load(%rmem_168, %coord_98) : (!memref_rmem_f32, !cute.coord<"3">) -> f32
            %782 = cute.memref.load(%rmem_168, %coord_99) : (!memref_rmem_f32, !cute.coord<"4">) -> f32
            %783 = cute.memref.load(%rmem_168, %coord_100) : (!memref_rmem_f32, !cute.coord<"5">) -> f32
            %784 = cute.memref.load(%rmem_168, %coord_101) : (!memref_rmem_f32, !cute.coord<"6">) -> f32
            %785 = cute.memref.load(%rmem_168, %coord_102) : (!memref_rmem_f32, !cute.coord<"7">) -> f32
            %786 = cute.memref.load(%rmem_168, %coord_61) : (!memref_rmem_f32, !cute.coord<"8">) -> f32
            %787 = arith.negf %778 : f32
            %788 = nvvm.fmax nan %778, %787
            %789 = arith.negf %786 : f32
            %790 = nvvm.fmax nan %786, %789
            %791 = nvvm.fmax nan %788, %790
            %792 = cute.memref.load(%rmem_168, %coord_103) : (!memref_rmem_f32, !cute.coord<"9">) -> f32
            %793 = arith.negf %779 : f32
            %794 = nvvm.fmax nan %779, %793
            %795 = arith.negf %792 : f32
            %796 = nvvm.fmax nan %792, %795
            %797 = nvvm.fmax nan %794, %796
            %798 = cute.memref.load(%rmem_168, %coord_104) : (!memref_rmem_f32, !cute.coord<"10">) -> f32
            %799 = arith.negf %780 : f32
            %800 = nvvm.fmax nan %780, %799
            %801 = arith.negf %798 : f32
            %802 = nvvm.fmax nan %798, %801
            %803 = nvvm.fmax nan %800, %802
            %804 = cute.memref.load(%rmem_168, %coord_105) : (!memref_rmem_f32, !cute.coord<"11">) -> f32
            %805 = arith.negf %781 : f32
            %806 = nvvm.fmax nan %781, %805
            %807 = arith.negf %804 : f32
            %808 = nvvm.fmax nan %804, %807
            %809 = nvvm.fmax nan %806, %808
            %810 = cute.memref.load(%rmem_168, %coord_106) : (!memref_rmem_f32, !cute.coord<"12">) -> f32
            %811 = arith.negf %782 : f32
            %812 = nvvm.fmax nan %782, %811
            %813 = arith.negf %810 : f32
            %814 = nvvm.fmax nan %810, %813
            %815 = nvvm.fmax nan %812, %814
            %816 = cute.memref.load(%rmem_168, %coord_107) : (!memref_rmem_f32, !cute.coord<"13">) -> f32
            %817 = arith.negf %783 : f32
            %818 = nvvm.fmax nan %783, %817
            %819 = arith.negf %816 : f32
            %820 = nvvm.fmax nan %816, %819
            %821 = nvvm.fmax nan %818, %820
            %822 = cute.memref.load(%rmem_168, %coord_108) : (!memref_rmem_f32, !cute.coord<"14">) -> f32
            %823 = arith.negf %784 : f32
            %824 = nvvm.fmax nan %784, %823
            %825 = arith.negf %822 : f32
            %826 = nvvm.fmax nan %822, %825
            %827 = nvvm.fmax nan %824, %826
            %828 = cute.memref.load(%rmem_168, %coord_109) : (!memref_rmem_f32, !cute.coord<"15">) -> f32
            %829 = arith.negf %785 : f32
            %830 = nvvm.fmax nan %785, %829
            %831 = arith.negf %828 : f32
            %832 = nvvm.fmax nan %828, %831
            %833 = nvvm.fmax nan %830, %832
            %834 = cute.memref.load(%rmem_168, %coord_110) : (!memref_rmem_f32, !cute.coord<"16">) -> f32
            %835 = arith.negf %791 : f32
            %836 = nvvm.fmax nan %791, %835
            %837 = arith.negf %834 : f32
            %838 = nvvm.fmax nan %834, %837
            %839 = nvvm.fmax nan %836, %838
            %840 = cute.memref.load(%rmem_168, %coord_111) : (!memref_rmem_f32, !cute.coord<"17">) -> f32
            %841 = arith.negf %797 : f32
            %842 = nvvm.fmax nan %797, %841
            %843 = arith.negf %840 : f32
            %844 = nvvm.fmax nan %840, %843
            %845 = nvvm.fmax nan %842, %844
            %846 = cute.memref.load(%rmem_168, %coord_112) : (!memref_rmem_f32, !cute.coord<"18">) -> f32
            %847 = arith.negf %803 : f32
            %848 = nvvm.fmax nan %803, %847
            %849 = arith.negf %846 : f32
            %850 = nvvm.fmax nan %846, %849
            %851 = nvvm.fmax nan %848, %850
            %852 = cute.memref.load(%rmem_168, %coord_113) : (!memref_rmem_f32, !cute.coord<"19">) -> f32
            %853 = arith.negf %809 : f32
            %854 = nvvm.fmax nan %809, %853
            %855 = arith.negf %852 : f32
            %856 = nvvm.fmax nan %852, %855
            %857 = nvvm.fmax nan %854, %856
            %858 = cute.memref.load(%rmem_168, %coord_114) : (!memref_rmem_f32, !cute.coord<"20">) -> f32
            %859 = arith.negf %815 : f32
            %860 = nvvm.fmax nan %815, %859
            %861 = arith.negf %858 : f32
            %862 = nvvm.fmax nan %858, %861
            %863 = nvvm.fmax nan %860, %862
            %864 = cute.memref.load(%rmem_168, %coord_115) : (!memref_rmem_f32, !cute.coord<"21">) -> f32
            %865 = arith.negf %821 : f32
            %866 = nvvm.fmax nan %821, %865
            %867 = arith.negf %864 : f32
            %868 = nvvm.fmax nan %864, %867
            %869 = nvvm.fmax nan %866, %868
            %870 = cute.memref.load(%rmem_168, %coord_116) : (!memref_rmem_f32, !cute.coord<"22">) -> f32
            %871 = arith.negf %827 : f32
            %872 = nvvm.fmax nan %827, %871
            %873 = arith.negf %870 : f32
            %874 = nvvm.fmax nan %870, %873
            %875 = nvvm.fmax nan %872, %874
            %876 = cute.memref.load(%rmem_168, %coord_117) : (!memref_rmem_f32, !cute.coord<"23">) -> f32
            %877 = arith.negf %833 : f32
            %878 = nvvm.fmax nan %833, %877
            %879 = arith.negf %876 : f32
            %880 = nvvm.fmax nan %876, %879
            %881 = nvvm.fmax nan %878, %880
            %882 = cute.memref.load(%rmem_168, %coord_118) : (!memref_rmem_f32, !cute.coord<"24">) -> f32
            %883 = arith.negf %839 : f32
            %884 = nvvm.fmax nan %839, %883
            %885 = arith.negf %882 : f32
            %886 = nvvm.fmax nan %882, %885
            %887 = nvvm.fmax nan %884, %886
            %888 = cute.memref.load(%rmem_168, %coord_119) : (!memref_rmem_f32, !cute.coord<"25">) -> f32
            %889 = arith.negf %845 : f32
            %890 = nvvm.fmax nan %845, %889
            %891 = arith.negf %888 : f32
            %892 = nvvm.fmax nan %888, %891
            %893 = nvvm.fmax nan %890, %892
            %894 = cute.memref.load(%rmem_168, %coord_120) : (!memref_rmem_f32, !cute.coord<"26">) -> f32
            %895 = arith.negf %851 : f32
            %896 = nvvm.fmax nan %851, %895
            %897 = arith.negf %894 : f32
            %898 = nvvm.fmax nan %894, %897
            %899 = nvvm.fmax nan %896, %898
            %900 = cute.memref.load(%rmem_168, %coord_121) : (!memref_rmem_f32, !cute.coord<"27">) -> f32
            %901 = arith.negf %857 : f32
            %902 = nvvm.fmax nan %857, %901
            %903 = arith.negf %900 : f32
            %904 = nvvm.fmax nan %900, %903
            %905 = nvvm.fmax nan %902, %904
            %906 = cute.memref.load(%rmem_168, %coord_122) : (!memref_rmem_f32, !cute.coord<"28">) -> f32
            %907 = arith.negf %863 : f32
            %908 = nvvm.fmax nan %863, %907
            %909 = arith.negf %906 : f32
            %910 = nvvm.fmax nan %906, %909
            %911 = nvvm.fmax nan %908, %910
            %912 = cute.memref.load(%rmem_168, %coord_123) : (!memref_rmem_f32, !cute.coord<"29">) -> f32
            %913 = arith.negf %869 : f32
            %914 = nvvm.fmax nan %869, %913
            %915 = arith.negf %912 : f32
            %916 = nvvm.fmax nan %912, %915
            %917 = nvvm.fmax nan %914, %916
            %918 = cute.memref.load(%rmem_168, %coord_124) : (!memref_rmem_f32, !cute.coord<"30">) -> f32
            %919 = arith.negf %875 : f32
            %920 = nvvm.fmax nan %875, %919
            %921 = arith.negf %918 : f32
            %922 = nvvm.fmax nan %918, %921
            %923 = nvvm.fmax nan %920, %922
            %924 = cute.memref.load(%rmem_168, %coord_125) : (!memref_rmem_f32, !cute.coord<"31">) -> f32
            %925 = arith.negf %881 : f32
            %926 = nvvm.fmax nan %881, %925
            %927 = arith.negf %924 : f32
            %928 = nvvm.fmax nan %924, %927
            %929 = nvvm.fmax nan %926, %928
            %930 = cute.memref.load(%rmem_168, %coord_126) : (!memref_rmem_f32, !cute.coord<"32">) -> f32
            %931 = arith.negf %887 : f32
            %932 = nvvm.fmax nan %887, %931
            %933 = arith.negf %930 : f32
            %934 = nvvm.fmax nan %930, %933
            %935 = nvvm.fmax nan %932, %934
            %936 = cute.memref.load(%rmem_168, %coord_127) : (!memref_rmem_f32, !cute.coord<"33">) -> f32
            %937 = arith.negf %893 : f32
            %938 = nvvm.fmax nan %893, %937
            %939 = arith.negf %936 : f32
            %940 = nvvm.fmax nan %936, %939
            %941 = nvvm.fmax nan %938, %940
            %942 = cute.memref.load(%rmem_168, %coord_128) : (!memref_rmem_f32, !cute.coord<"34">) -> f32
            %943 = arith.negf %899 : f32
            %944 = nvvm.fmax nan %899, %943
            %945 = arith.negf %942 : f32
            %946 = nvvm.fmax nan %942, %945
            %947 = nvvm.fmax nan %944, %946
            %948 = cute.memref.load(%rmem_168, %coord_129) : (!memref_rmem_f32, !cute.coord<"35">) -> f32
            %949 = arith.negf %905 : f32
            %950 = nvvm.fmax nan %905, %949
            %951 = arith.negf %948 : f32
            %952 = nvvm.fmax nan %948, %951
            %953 = nvvm.fmax nan %950, %952
            %954 = cute.memref.load(%rmem_168, %coord_130) : (!memref_rmem_f32, !cute.coord<"36">) -> f32
            %955 = arith.negf %911 : f32
            %956 = nvvm.fmax nan %911, %955
            %957 = arith.negf %954 : f32
            %958 = nvvm.fmax nan %954, %957
            %959 = nvvm.fmax nan %956, %958
            %960 = cute.memref.load(%rmem_168, %coord_131) : (!memref_rmem_f32, !cute.coord<"37">) -> f32
            %961 = arith.negf %917 : f32
            %962 = nvvm.fmax nan %917, %961
            %963 = arith.negf %960 : f32
            %964 = nvvm.fmax nan %960, %963
            %965 = nvvm.fmax nan %962, %964
            %966 = cute.memref.load(%rmem_168, %coord_132) : (!memref_rmem_f32, !cute.coord<"38">) -> f32
            %967 = arith.negf %923 : f32
            %968 = nvvm.fmax nan %923, %967
            %969 = arith.negf %966 : f32
            %970 = nvvm.fmax nan %966, %969
            %971 = nvvm.fmax nan %968, %970
            %972 = cute.memref.load(%rmem_168, %coord_133) : (!memref_rmem_f32, !cute.coord<"39">) -> f32
            %973 = arith.negf %929 : f32
            %974 = nvvm.fmax nan %929, %973
            %975 = arith.negf %972 : f32
            %976 = nvvm.fmax nan %972, %975
            %977 = nvvm.fmax nan %974, %976
            %978 = cute.memref.load(%rmem_168, %coord_134) : (!memref_rmem_f32, !cute.coord<"40">) -> f32
            %979 = arith.negf %935 : f32
            %980 = nvvm.fmax nan %935, %979
            %981 = arith.negf %978 : f32
            %982 = nvvm.fmax nan %978, %981
            %983 = nvvm.fmax nan %980, %982
            %984 = cute.memref.load(%rmem_168, %coord_135) : (!memref_rmem_f32, !cute.coord<"41">) -> f32
            %985 = arith.negf %941 : f32
            %986 = nvvm.fmax nan %941, %985
            %987 = arith.negf %984 : f32
            %988 = nvvm.fmax nan %984, %987
            %989 = nvvm.fmax nan %986, %988
            %990 = cute.memref.load(%rmem_168, %coord_136) : (!memref_rmem_f32, !cute.coord<"42">) -> f32
            %991 = arith.negf %947 : f32
            %992 = nvvm.fmax nan %947, %991
            %993 = arith.negf %990 : f32
            %994 = nvvm.fmax nan %990, %993
            %995 = nvvm.fmax nan %992, %994
            %996 = cute.memref.load(%rmem_168, %coord_137) : (!memref_rmem_f32, !cute.coord<"43">) -> f32
            %997 = arith.negf %953 : f32
            %998 = nvvm.fmax nan %953, %997
            %999 = arith.negf %996 : f32
            %1000 = nvvm.fmax nan %996, %999
            %1001 = nvvm.fmax nan %998, %1000
            %1002 = cute.memref.load(%rmem_168, %coord_138) : (!memref_rmem_f32, !cute.coord<"44">) -> f32
            %1003 = arith.negf %959 : f32
            %1004 = nvvm.fmax nan %959, %1003
            %1005 = arith.negf %1002 : f32
            %1006 = nvvm.fmax nan %1002, %1005
            %1007 = nvvm.fmax nan %1004, %1006
            %1008 = cute.memref.load(%rmem_168, %coord_139) : (!memref_rmem_f32, !cute.coord<"45">) -> f32
            %1009 = arith.negf %965 : f32
            %1010 = nvvm.fmax nan %965, %1009
            %1011 = arith.negf %1008 : f32
            %1012 = nvvm.fmax nan %1008, %1011
            %1013 = nvvm.fmax nan %1010, %1012
            %1014 = cute.memref.load(%rmem_168, %coord_140) : (!memref_rmem_f32, !cute.coord<"46">) -> f32
            %1015 = arith.negf %971 : f32
            %1016 = nvvm.fmax nan %971, %1015
            %1017 = arith.negf %1014 : f32
            %1018 = nvvm.fmax nan %1014, %1017
            %1019 = nvvm.fmax nan %1016, %1018
            %1020 = cute.memref.load(%rmem_168, %coord_141) : (!memref_rmem_f32, !cute.coord<"47">) -> f32
            %1021 = arith.negf %977 : f32
            %1022 = nvvm.fmax nan %977, %1021
            %1023 = arith.negf %1020 : f32
            %1024 = nvvm.fmax nan %1020, %1023
            %1025 = nvvm.fmax nan %1022, %1024
            %1026 = cute.memref.load(%rmem_168, %coord_142) : (!memref_rmem_f32, !cute.coord<"48">) -> f32
            %1027 = arith.negf %983 : f32
            %1028 = nvvm.fmax nan %983, %1027
            %1029 = arith.negf %1026 : f32
            %1030 = nvvm.fmax nan %1026, %1029
            %1031 = nvvm.fmax nan %1028, %1030
            %1032 = cute.memref.load(%rmem_168, %coord_143) : (!memref_rmem_f32, !cute.coord<"49">) -> f32
            %1033 = arith.negf %989 : f32
            %1034 = nvvm.fmax nan %989, %1033
            %1035 = arith.negf %1032 : f32
            %1036 = nvvm.fmax nan %1032, %1035
            %1037 = nvvm.fmax nan %1034, %1036
            %1038 = cute.memref.load(%rmem_168, %coord_144) : (!memref_rmem_f32, !cute.coord<"50">) -> f32
            %1039 = arith.negf %995 : f32
            %1040 = nvvm.fmax nan %995, %1039
            %1041 = arith.negf %1038 : f32
            %1042 = nvvm.fmax nan %1038, %1041
            %1043 = nvvm.fmax nan %1040, %1042
            %1044 = cute.memref.load(%rmem_168, %coord_145) : (!memref_rmem_f32, !cute.coord<"51">) -> f32
            %1045 = arith.negf %1001 : f32
            %1046 = nvvm.fmax nan %1001, %1045
            %1047 = arith.negf %1044 : f32
            %1048 = nvvm.fmax nan %1044, %1047
            %1049 = nvvm.fmax nan %1046, %1048
            %1050 = cute.memref.load(%rmem_168, %coord_146) : (!memref_rmem_f32, !cute.coord<"52">) -> f32
            %1051 = arith.negf %1007 : f32
            %1052 = nvvm.fmax nan %1007, %1051
            %1053 = arith.negf %1050 : f32
            %1054 = nvvm.fmax nan %1050, %1053
            %1055 = nvvm.fmax nan %1052, %1054
            %1056 = cute.memref.load(%rmem_168, %coord_147) : (!memref_rmem_f32, !cute.coord<"53">) -> f32
            %1057 = arith.negf %1013 : f32
            %1058 = nvvm.fmax nan %1013, %1057
            %1059 = arith.negf %1056 : f32
            %1060 = nvvm.fmax nan %1056, %1059
            %1061 = nvvm.fmax nan %1058, %1060
            %1062 = cute.memref.load(%rmem_168, %coord_148) : (!memref_rmem_f32, !cute.coord<"54">) -> f32
            %1063 = arith.negf %1019 : f32
            %1064 = nvvm.fmax nan %1019, %1063
            %1065 = arith.negf %1062 : f32
            %1066 = nvvm.fmax nan %1062, %1065
            %1067 = nvvm.fmax nan %1064, %1066
            %1068 = cute.memref.load(%rmem_168, %coord_149) : (!memref_rmem_f32, !cute.coord<"55">) -> f32
            %1069 = arith.negf %1025 : f32
            %1070 = nvvm.fmax nan %1025, %1069
            %1071 = arith.negf %1068 : f32
            %1072 = nvvm.fmax nan %1068, %1071
            %1073 = nvvm.fmax nan %1070, %1072
            %1074 = cute.memref.load(%rmem_168, %coord_150) : (!memref_rmem_f32, !cute.coord<"56">) -> f32
            %1075 = arith.negf %1031 : f32
            %1076 = nvvm.fmax nan %1031, %1075
            %1077 = arith.negf %1074 : f32
            %1078 = nvvm.fmax nan %1074, %1077
            %1079 = nvvm.fmax nan %1076, %1078
            %1080 = cute.memref.load(%rmem_168, %coord_151) : (!memref_rmem_f32, !cute.coord<"57">) -> f32
            %1081 = arith.negf %1037 : f32
            %1082 = nvvm.fmax nan %1037, %1081
            %1083 = arith.negf %1080 : f32
            %1084 = nvvm.fmax nan %1080, %1083
            %1085 = nvvm.fmax nan %1082, %1084
            %1086 = cute.memref.load(%rmem_168, %coord_152) : (!memref_rmem_f32, !cute.coord<"58">) -> f32
            %1087 = arith.negf %1043 : f32
            %1088 = nvvm.fmax nan %1043, %1087
            %1089 = arith.negf %1086 : f32
            %1090 = nvvm.fmax nan %1086, %1089
            %1091 = nvvm.fmax nan %1088, %1090
            %1092 = cute.memref.load(%rmem_168, %coord_153) : (!memref_rmem_f32, !cute.coord<"59">) -> f32
            %1093 = arith.negf %1049 : f32
            %1094 = nvvm.fmax nan %1049, %1093
            %1095 = arith.negf %1092 : f32
            %1096 = nvvm.fmax nan %1092, %1095
            %1097 = nvvm.fmax nan %1094, %1096
            %1098 = cute.memref.load(%rmem_168, %coord_154) : (!memref_rmem_f32, !cute.coord<"60">) -> f32
            %1099 = arith.negf %1055 : f32
            %1100 = nvvm.fmax nan %1055, %1099
            %1101 = arith.negf %1098 : f32
            %1102 = nvvm.fmax nan %1098, %1101
            %1103 = nvvm.fmax nan %1100, %1102
            %1104 = cute.memref.load(%rmem_168, %coord_155) : (!memref_rmem_f32, !cute.coord<"61">) -> f32
            %1105 = arith.negf %1061 : f32
            %1106 = nvvm.fmax nan %1061, %1105
            %1107 = arith.negf %1104 : f32
            %1108 = nvvm.fmax nan %1104, %1107
            %1109 = nvvm.fmax nan %1106, %1108
            %1110 = cute.memref.load(%rmem_168, %coord_156) : (!memref_rmem_f32, !cute.coord<"62">) -> f32
            %1111 = arith.negf %1067 : f32
            %1112 = nvvm.fmax nan %1067, %1111
            %1113 = arith.negf %1110 : f32
            %1114 = nvvm.fmax nan %1110, %1113
            %1115 = nvvm.fmax nan %1112, %1114
            %1116 = cute.memref.load(%rmem_168, %coord_157) : (!memref_rmem_f32, !cute.coord<"63">) -> f32
            %1117 = arith.negf %1073 : f32
            %1118 = nvvm.fmax nan %1073, %1117
            %1119 = arith.negf %1116 : f32
            %1120 = nvvm.fmax nan %1116, %1119
            %1121 = nvvm.fmax nan %1118, %1120
            %1122 = arith.negf %1079 : f32
            %1123 = nvvm.fmax nan %1079, %1122
            %1124 = arith.negf %1085 : f32
            %1125 = nvvm.fmax nan %1085, %1124
            %1126 = nvvm.fmax nan %1123, %1125
            %1127 = arith.negf %1103 : f32
            %1128 = nvvm.fmax nan %1103, %1127
            %1129 = arith.negf %1109 : f32
            %1130 = nvvm.fmax nan %1109, %1129
            %1131 = nvvm.fmax nan %1128, %1130
            %1132 = arith.negf %1126 : f32
            %1133 = nvvm.fmax nan %1126, %1132
            %1134 = arith.negf %1131 : f32
            %1135 = nvvm.fmax nan %1131, %1134
            %1136 = nvvm.fmax nan %1133, %1135
            %1137 = arith.negf %1091 : f32
            %1138 = nvvm.fmax nan %1091, %1137
            %1139 = arith.negf %1097 : f32
            %1140 = nvvm.fmax nan %1097, %1139
            %1141 = nvvm.fmax nan %1138, %1140
            %1142 = arith.negf %1115 : f32
            %1143 = nvvm.fmax nan %1115, %1142
            %1144 = arith.negf %1121 : f32
            %1145 = nvvm.fmax nan %1121, %1144
            %1146 = nvvm.fmax nan %1143, %1145
            %1147 = arith.negf %1141 : f32
            %1148 = nvvm.fmax nan %1141, %1147
            %1149 = arith.negf %1146 : f32
            %1150 = nvvm.fmax nan %1146, %1149
            %1151 = nvvm.fmax nan %1148, %1150
            %1152 = arith.select %469, %1151, %1136 : f32
            %1153 = arith.select %469, %1136, %1151 : f32
            %1154 = nvvm.shfl.sync bfly %c-1_i32, %1153, %c1_i32, %c31_i32 : f32 -> f32
            %1155 = arith.negf %1152 : f32
            %1156 = nvvm.fmax nan %1152, %1155
            %1157 = arith.negf %1154 : f32
            %1158 = nvvm.fmax nan %1154, %1157
            %1159 = nvvm.fmax nan %1156, %1158
            %1160 = nvvm.shfl.sync bfly %c-1_i32, %1159, %c2_i32, %c31_i32 : f32 -> f32
            %1161 = arith.negf %1159 : f32
            %1162 = nvvm.fmax nan %1159, %1161
            %1163 = arith.negf %1160 : f32
            %1164 = nvvm.fmax nan %1160, %1163
            %1165 = nvvm.fmax nan %1162, %1164
            %1166 = arith.mulf %1165, %23 : f32
            %1167 = arith.cmpf ole, %1166, %cst : f32
            %1168 = arith.cmpi eq, %1167, %false : i1
            %1169 = arith.andi %631, %1168 : i1
            scf.if %1169 {
              %int_tuple_332 = cute.make_int_tuple(%65) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_333 = cute.add_offset(%arg8, %int_tuple_332) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<i32, gmem>
              %1175 = builtin.unrealized_conversion_cast %ptr_333 : !cute.ptr<i32, gmem> to !llvm.ptr<1>
              nvvm.red %1175, %c2147483647_i32 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<max>, type = #nvvm.red_type<s32>} : !llvm.ptr<1>, i32
            }
            nvvm.bar.warp.sync %c-1_i32 : i32
            scf.if %632 {
              %1175 = builtin.unrealized_conversion_cast %ptr_55 : !cute.ptr<i64, smem> to !llvm.ptr<3>
              %1176 = nvvm.mbarrier.arrive %1175, %c1_i32 : !llvm.ptr<3> -> i64
            }
            %1170 = arith.remsi %20, %c4_i32 : i32
            %1171 = arith.cmpi slt, %1170, %c2_i32 : i32
            %1172 = arith.andi %631, %1171 : i1
            scf.if %1172 {
              %int_tuple_332 = cute.make_int_tuple(%65) : (i64) -> !cute.int_tuple<"?{i64}">
              %ptr_333 = cute.add_offset(%arg7, %int_tuple_332) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<f32, gmem>
              %1175 = arith.mulf %475, %cst_3 : f32
              %1176 = llvm.inline_asm "mov.f32 $0, $1;", "=f,f" %1175 : (f32) -> f32
              %1177 = nvvm.inline_ptx "cvt.rni.s32.f32 {$w0}, {$r0};" ro(%1176 : f32) -> i32
              %1178 = builtin.unrealized_conversion_cast %ptr_333 : !cute.ptr<f32, gmem> to !llvm.ptr<1>
              nvvm.red %1178, %1177 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>} : !llvm.ptr<1>, i32
            }
            %1173 = arith.addi %arg20, %c1_i32 : i32
            %1174 = arith.addi %arg21, %c3_i32 : i32
            scf.yield %1173, %1174 : i32, i32
          }
          %32 = arith.subi %31#1, %29 : i32
          nvvm.bar.warp.sync %c-1_i32 : i32
          %33 = arith.cmpi eq, %20, %c0_i32 : i32
          scf.if %33 {
            %ptr_50 = cute.add_offset(%ptr, %int_tuple_47) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
            %35 = builtin.unrealized_conversion_cast %ptr_50 : !cute.ptr<i64, smem> to !llvm.ptr<3>
            %36 = nvvm.mbarrier.arrive %35, %c1_i32 : !llvm.ptr<3> -> i64
          }
          %34 = arith.addi %arg19, %c1_i32 : i32
          scf.yield %29, %31#0, %32, %34 : i32, i32, i32, i32
        }
        nvvm.cp.async.bulk.wait_group 0
      }
      return
    }
  }
  func.func @cutlass_forward__Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_Ptrgmem_____FakeStream(%arg0: i32, %arg1: !cute.ptr<bf16, gmem, align<16>>, %arg2: !cute.ptr<bf16, gmem, align<16>>, %arg3: !cute.ptr<bf16, gmem, align<16>>, %arg4: !cute.ptr<bf16, gmem, align<16>>, %arg5: !cute.ptr<f32, gmem, align<16>>, %arg6: !cute.ptr<i32, gmem, align<16>>, %arg7: !cute.ptr<f32, gmem, align<16>>, %arg8: !cute.ptr<i32, gmem, align<16>>, %arg9: !cute.ptr<i32, gmem, align<16>>, %arg10: !cute.ptr<i32, gmem, align<16>>, %arg11: !cute.ptr<i32, gmem, align<16>>, %arg12: !cute.ptr<i32, gmem, align<16>>, %arg13: !cute.ptr<i32, gmem, align<16>>, %arg14: i32, %arg15: i32, %arg16: i32, %arg17: i32, %arg18: !cuda.stream) -> i32 attributes {llvm.emit_c_interface} {
    %c16_i32 = arith.constant 16 : i32
    %c8_i32 = arith.constant 8 : i32
    %c1_i32 = arith.constant 1 : i32
    %c512_i32 = arith.constant 512 : i32
    %c232448_i64 = arith.constant 232448 : i64
    %0 = cute.static : !cute.swizzle<"S<3,4,3>">
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    %1 = arith.cmpi eq, %arg0, %c0_i32 : i32
    scf.if %1 {
      %2 = arith.muli %arg16, %c128_i32 : i32
      %shape = cute.make_shape(%2) : (i32) -> !cute.shape<"(?,128,4)">
      %stride = cute.make_stride() : () -> !cute.stride<"(512,1,128)">
      %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(?,128,4):(512,1,128)">
      %3 = arith.muli %arg15, %c8_i32 : i32
      %shape_0 = cute.make_shape(%3) : (i32) -> !cute.shape<"(64,8,2,?)">
      %stride_1 = cute.make_stride() : () -> !cute.stride<"(1,128,64,1024)">
      %lay_2 = cute.make_layout(%shape_0, %stride_1) : !cute.layout<"(64,8,2,?):(1,128,64,1024)">
      %shape_3 = cute.make_shape() : () -> !cute.shape<"(64,8,2,2)">
      %stride_4 = cute.make_stride() : () -> !cute.stride<"(1,64,512,1024)">
      %lay_5 = cute.make_layout(%shape_3, %stride_4) : !cute.layout<"(64,8,2,2):(1,64,512,1024)">
      %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
      %lay_6 = cute.make_composed_layout(%0, %int_tuple, %lay_5) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">
      %view = cute.make_view(%arg1, %lay_2) : !memref_gmem_bf16
      %4 = cute.get_shape(%lay_2) : (!cute.layout<"(64,8,2,?):(1,128,64,1024)">) -> !cute.shape<"(64,8,2,?)">
      %e0, %e1, %e2, %e3 = cute.get_leaves(%4) : !cute.shape<"(64,8,2,?)">
      %itup = cute.to_int_tuple(%e3) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %shape_7 = cute.make_shape(%itup) : (!cute.int_tuple<"?">) -> !cute.shape<"(64,8,2,?)">
      %5 = cute.make_identity_layout(%shape_7) : !cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">
      %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
      %6 = cute.composition(%5, %tile) : (!cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">) -> !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">
      %non_exec_atom, %tma_tensor = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view, %lay_6, %6) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16, !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">, !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">)
      %shape_8 = cute.make_shape() : () -> !cute.shape<"(8,64)">
      %stride_9 = cute.make_stride() : () -> !cute.stride<"(64,1)">
      %lay_10 = cute.make_layout(%shape_8, %stride_9) : !cute.layout<"(8,64):(64,1)">
      %lay_11 = cute.make_composed_layout(%0, %int_tuple, %lay_10) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
      %shape_12 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
      %int_tuple_13 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
      %tile_to_shape = cute.tile_to_shape(%lay_11, %shape_12, %int_tuple_13) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
      %coord = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
      %slice = cute.slice(%tile_to_shape, %coord) : !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">, !cute.coord<"(_,_,0)">
      %view_14 = cute.make_view(%arg2, %lay) : !memref_gmem_bf16_1
      %7 = cute.get_shape(%lay) : (!cute.layout<"(?,128,4):(512,1,128)">) -> !cute.shape<"(?,128,4)">
      %e0_15, %e1_16, %e2_17 = cute.get_leaves(%7) : !cute.shape<"(?,128,4)">
      %itup_18 = cute.to_int_tuple(%e0_15) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %shape_19 = cute.make_shape(%itup_18) : (!cute.int_tuple<"?">) -> !cute.shape<"(?,128,4)">
      %8 = cute.make_identity_layout(%shape_19) : !cute.layout<"(?,128,4):(1@0,1@1,1@2)">
      %tile_20 = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
      %9 = cute.composition(%8, %tile_20) : (!cute.layout<"(?,128,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">) -> !cute.layout<"(128,128):(1@0,1@1)">
      %non_exec_atom_21, %tma_tensor_22 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view_14, %slice, %9) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16_1, !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))">, !cute.layout<"(128,128):(1@0,1@1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">)
      %10 = cute.select<[1, 0, 2]> (%lay) : (!cute.layout<"(?,128,4):(512,1,128)">) -> !cute.layout<"(128,?,4):(1,512,128)">
      %shape_23 = cute.make_shape() : () -> !cute.shape<"(64,8)">
      %stride_24 = cute.make_stride() : () -> !cute.stride<"(1,64)">
      %lay_25 = cute.make_layout(%shape_23, %stride_24) : !cute.layout<"(64,8):(1,64)">
      %lay_26 = cute.make_composed_layout(%0, %int_tuple, %lay_25) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">
      %int_tuple_27 = cute.make_int_tuple() : () -> !cute.int_tuple<"(1,0,2)">
      %tile_to_shape_28 = cute.tile_to_shape(%lay_26, %shape_12, %int_tuple_27) : (!cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(1,0,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
      %slice_29 = cute.slice(%tile_to_shape_28, %coord) : !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">, !cute.coord<"(_,_,0)">
      %view_30 = cute.make_view(%arg3, %10) : !memref_gmem_bf16_2
      %11 = cute.get_shape(%10) : (!cute.layout<"(128,?,4):(1,512,128)">) -> !cute.shape<"(128,?,4)">
      %e0_31, %e1_32, %e2_33 = cute.get_leaves(%11) : !cute.shape<"(128,?,4)">
      %itup_34 = cute.to_int_tuple(%e1_32) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %shape_35 = cute.make_shape(%itup_34) : (!cute.int_tuple<"?">) -> !cute.shape<"(128,?,4)">
      %12 = cute.make_identity_layout(%shape_35) : !cute.layout<"(128,?,4):(1@0,1@1,1@2)">
      %13 = cute.composition(%12, %tile_20) : (!cute.layout<"(128,?,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">) -> !cute.layout<"(128,128):(1@0,1@1)">
      %non_exec_atom_36, %tma_tensor_37 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view_30, %slice_29, %13) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16_2, !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16)):((1,8192),(64,512))">, !cute.layout<"(128,128):(1@0,1@1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">)
      %14 = arith.muli %arg15, %c16_i32 : i32
      %shape_38 = cute.make_shape(%14) : (i32) -> !cute.shape<"(64,8,2,?)">
      %lay_39 = cute.make_layout(%shape_38, %stride_1) : !cute.layout<"(64,8,2,?):(1,128,64,1024)">
      %view_40 = cute.make_view(%arg4, %lay_39) : !memref_gmem_bf16
      %15 = cute.get_shape(%lay_39) : (!cute.layout<"(64,8,2,?):(1,128,64,1024)">) -> !cute.shape<"(64,8,2,?)">
      %e0_41, %e1_42, %e2_43, %e3_44 = cute.get_leaves(%15) : !cute.shape<"(64,8,2,?)">
      %itup_45 = cute.to_int_tuple(%e3_44) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %shape_46 = cute.make_shape(%itup_45) : (!cute.int_tuple<"?">) -> !cute.shape<"(64,8,2,?)">
      %16 = cute.make_identity_layout(%shape_46) : !cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">
      %17 = cute.composition(%16, %tile) : (!cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">) -> !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">
      %non_exec_atom_47, %tma_tensor_48 = cute_nvgpu.atom.make_non_exec_tiled_tma_reduce(%view_40, %lay_6, %17) <{kind = <ADD>}> : (!memref_gmem_bf16, !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">, !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">)
      %18 = cute.kernel_smem_size @kernels::@msa_attention_forward_0 : i64
      %19 = arith.cmpi sgt, %18, %c232448_i64 : i64
      scf.if %19 {
        cute.print("\0AError: kernel '@kernels::@msa_attention_forward_0' launch shared memory exceeds current GPU arch sm_90a allowed. Allocated: {} bytes. Max: 232448 bytes.\0A\0A", %18) : i64
      }
      %20 = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%c512_i32, %c1_i32, %c1_i32), dynamicSmemBytes = %18, gridDim = (%arg17, %c1_i32, %c1_i32), stream = %arg18) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
      cuda.launch_cfg.programmatic_stream_serialization_allowed[%20] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
      cuda.launch_cfg.cooperative[%20] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
      %21 = cuda.launch_ex @kernels::@msa_attention_forward_0<%20> (%non_exec_atom, %tma_tensor, %non_exec_atom_21, %tma_tensor_22, %non_exec_atom_36, %tma_tensor_37, %non_exec_atom_47, %tma_tensor_48, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 17>, (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.ptr<bf16, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, i32) -> !cuda.result
      %22 = cuda.cast %21 : !cuda.result -> i32
      cuda.return_if_error %22 : i32
    } else {
      %2 = arith.cmpi eq, %arg0, %c1_i32 : i32
      scf.if %2 {
        %3 = arith.muli %arg16, %c128_i32 : i32
        %shape = cute.make_shape(%3) : (i32) -> !cute.shape<"(?,128,4)">
        %stride = cute.make_stride() : () -> !cute.stride<"(512,1,128)">
        %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(?,128,4):(512,1,128)">
        %4 = arith.muli %arg15, %c8_i32 : i32
        %shape_0 = cute.make_shape(%4) : (i32) -> !cute.shape<"(64,8,2,?)">
        %stride_1 = cute.make_stride() : () -> !cute.stride<"(1,128,64,1024)">
        %lay_2 = cute.make_layout(%shape_0, %stride_1) : !cute.layout<"(64,8,2,?):(1,128,64,1024)">
        %shape_3 = cute.make_shape() : () -> !cute.shape<"(64,8,2,2)">
        %stride_4 = cute.make_stride() : () -> !cute.stride<"(1,64,512,1024)">
        %lay_5 = cute.make_layout(%shape_3, %stride_4) : !cute.layout<"(64,8,2,2):(1,64,512,1024)">
        %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
        %lay_6 = cute.make_composed_layout(%0, %int_tuple, %lay_5) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">
        %view = cute.make_view(%arg1, %lay_2) : !memref_gmem_bf16
        %5 = cute.get_shape(%lay_2) : (!cute.layout<"(64,8,2,?):(1,128,64,1024)">) -> !cute.shape<"(64,8,2,?)">
        %e0, %e1, %e2, %e3 = cute.get_leaves(%5) : !cute.shape<"(64,8,2,?)">
        %itup = cute.to_int_tuple(%e3) : !cute.shape<"?"> to !cute.int_tuple<"?">
        %shape_7 = cute.make_shape(%itup) : (!cute.int_tuple<"?">) -> !cute.shape<"(64,8,2,?)">
        %6 = cute.make_identity_layout(%shape_7) : !cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">
        %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
        %7 = cute.composition(%6, %tile) : (!cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">) -> !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">
        %non_exec_atom, %tma_tensor = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view, %lay_6, %7) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16, !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">, !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">)
        %shape_8 = cute.make_shape() : () -> !cute.shape<"(8,64)">
        %stride_9 = cute.make_stride() : () -> !cute.stride<"(64,1)">
        %lay_10 = cute.make_layout(%shape_8, %stride_9) : !cute.layout<"(8,64):(64,1)">
        %lay_11 = cute.make_composed_layout(%0, %int_tuple, %lay_10) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
        %shape_12 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
        %int_tuple_13 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
        %tile_to_shape = cute.tile_to_shape(%lay_11, %shape_12, %int_tuple_13) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
        %coord = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
        %slice = cute.slice(%tile_to_shape, %coord) : !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">, !cute.coord<"(_,_,0)">
        %view_14 = cute.make_view(%arg2, %lay) : !memref_gmem_bf16_1
        %8 = cute.get_shape(%lay) : (!cute.layout<"(?,128,4):(512,1,128)">) -> !cute.shape<"(?,128,4)">
        %e0_15, %e1_16, %e2_17 = cute.get_leaves(%8) : !cute.shape<"(?,128,4)">
        %itup_18 = cute.to_int_tuple(%e0_15) : !cute.shape<"?"> to !cute.int_tuple<"?">
        %shape_19 = cute.make_shape(%itup_18) : (!cute.int_tuple<"?">) -> !cute.shape<"(?,128,4)">
        %9 = cute.make_identity_layout(%shape_19) : !cute.layout<"(?,128,4):(1@0,1@1,1@2)">
        %tile_20 = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
        %10 = cute.composition(%9, %tile_20) : (!cute.layout<"(?,128,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">) -> !cute.layout<"(128,128):(1@0,1@1)">
        %non_exec_atom_21, %tma_tensor_22 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view_14, %slice, %10) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16_1, !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))">, !cute.layout<"(128,128):(1@0,1@1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">)
        %11 = cute.kernel_smem_size @kernels::@msa_attention_forward_1 : i64
        %12 = arith.cmpi sgt, %11, %c232448_i64 : i64
        scf.if %12 {
          cute.print("\0AError: kernel '@kernels::@msa_attention_forward_1' launch shared memory exceeds current GPU arch sm_90a allowed. Allocated: {} bytes. Max: 232448 bytes.\0A\0A", %11) : i64
        }
        %13 = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%c512_i32, %c1_i32, %c1_i32), dynamicSmemBytes = %11, gridDim = (%arg17, %c1_i32, %c1_i32), stream = %arg18) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
        cuda.launch_cfg.programmatic_stream_serialization_allowed[%13] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
        cuda.launch_cfg.cooperative[%13] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
        %14 = cuda.launch_ex @kernels::@msa_attention_forward_1<%13> (%non_exec_atom, %tma_tensor, %non_exec_atom_21, %tma_tensor_22, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 17>, (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute.ptr<bf16, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, i32) -> !cuda.result
        %15 = cuda.cast %14 : !cuda.result -> i32
        cuda.return_if_error %15 : i32
      } else {
        %3 = arith.muli %arg16, %c128_i32 : i32
        %shape = cute.make_shape(%3) : (i32) -> !cute.shape<"(?,128,4)">
        %stride = cute.make_stride() : () -> !cute.stride<"(512,1,128)">
        %lay = cute.make_layout(%shape, %stride) : !cute.layout<"(?,128,4):(512,1,128)">
        %4 = arith.muli %arg15, %c8_i32 : i32
        %shape_0 = cute.make_shape(%4) : (i32) -> !cute.shape<"(64,8,2,?)">
        %stride_1 = cute.make_stride() : () -> !cute.stride<"(1,128,64,1024)">
        %lay_2 = cute.make_layout(%shape_0, %stride_1) : !cute.layout<"(64,8,2,?):(1,128,64,1024)">
        %shape_3 = cute.make_shape() : () -> !cute.shape<"(64,8,2,2)">
        %stride_4 = cute.make_stride() : () -> !cute.stride<"(1,64,512,1024)">
        %lay_5 = cute.make_layout(%shape_3, %stride_4) : !cute.layout<"(64,8,2,2):(1,64,512,1024)">
        %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
        %lay_6 = cute.make_composed_layout(%0, %int_tuple, %lay_5) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">
        %view = cute.make_view(%arg1, %lay_2) : !memref_gmem_bf16
        %5 = cute.get_shape(%lay_2) : (!cute.layout<"(64,8,2,?):(1,128,64,1024)">) -> !cute.shape<"(64,8,2,?)">
        %e0, %e1, %e2, %e3 = cute.get_leaves(%5) : !cute.shape<"(64,8,2,?)">
        %itup = cute.to_int_tuple(%e3) : !cute.shape<"?"> to !cute.int_tuple<"?">
        %shape_7 = cute.make_shape(%itup) : (!cute.int_tuple<"?">) -> !cute.shape<"(64,8,2,?)">
        %6 = cute.make_identity_layout(%shape_7) : !cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">
        %tile = cute.make_tile() : () -> !cute.tile<"[64:1;8:1;2:1;2:1]">
        %7 = cute.composition(%6, %tile) : (!cute.layout<"(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute.tile<"[64:1;8:1;2:1;2:1]">) -> !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">
        %non_exec_atom, %tma_tensor = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view, %lay_6, %7) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16, !cute.composed_layout<"S<3,4,3> o 0 o (64,8,2,2):(1,64,512,1024)">, !cute.layout<"(64,8,2,2):(1@0,1@1,1@2,1@3)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">)
        %shape_8 = cute.make_shape() : () -> !cute.shape<"(8,64)">
        %stride_9 = cute.make_stride() : () -> !cute.stride<"(64,1)">
        %lay_10 = cute.make_layout(%shape_8, %stride_9) : !cute.layout<"(8,64):(64,1)">
        %lay_11 = cute.make_composed_layout(%0, %int_tuple, %lay_10) : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
        %shape_12 = cute.make_shape() : () -> !cute.shape<"(128,128,2)">
        %int_tuple_13 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1,2)">
        %tile_to_shape = cute.tile_to_shape(%lay_11, %shape_12, %int_tuple_13) : (!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(0,1,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">
        %coord = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
        %slice = cute.slice(%tile_to_shape, %coord) : !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2),(1,2)):((64,512),(1,8192),(0,16384))">, !cute.coord<"(_,_,0)">
        %view_14 = cute.make_view(%arg2, %lay) : !memref_gmem_bf16_1
        %8 = cute.get_shape(%lay) : (!cute.layout<"(?,128,4):(512,1,128)">) -> !cute.shape<"(?,128,4)">
        %e0_15, %e1_16, %e2_17 = cute.get_leaves(%8) : !cute.shape<"(?,128,4)">
        %itup_18 = cute.to_int_tuple(%e0_15) : !cute.shape<"?"> to !cute.int_tuple<"?">
        %shape_19 = cute.make_shape(%itup_18) : (!cute.int_tuple<"?">) -> !cute.shape<"(?,128,4)">
        %9 = cute.make_identity_layout(%shape_19) : !cute.layout<"(?,128,4):(1@0,1@1,1@2)">
        %tile_20 = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
        %10 = cute.composition(%9, %tile_20) : (!cute.layout<"(?,128,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">) -> !cute.layout<"(128,128):(1@0,1@1)">
        %non_exec_atom_21, %tma_tensor_22 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view_14, %slice, %10) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16_1, !cute.composed_layout<"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))">, !cute.layout<"(128,128):(1@0,1@1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">)
        %11 = cute.select<[1, 0, 2]> (%lay) : (!cute.layout<"(?,128,4):(512,1,128)">) -> !cute.layout<"(128,?,4):(1,512,128)">
        %shape_23 = cute.make_shape() : () -> !cute.shape<"(64,8)">
        %stride_24 = cute.make_stride() : () -> !cute.stride<"(1,64)">
        %lay_25 = cute.make_layout(%shape_23, %stride_24) : !cute.layout<"(64,8):(1,64)">
        %lay_26 = cute.make_composed_layout(%0, %int_tuple, %lay_25) : !cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">
        %int_tuple_27 = cute.make_int_tuple() : () -> !cute.int_tuple<"(1,0,2)">
        %tile_to_shape_28 = cute.tile_to_shape(%lay_26, %shape_12, %int_tuple_27) : (!cute.composed_layout<"S<3,4,3> o 0 o (64,8):(1,64)">, !cute.shape<"(128,128,2)">, !cute.int_tuple<"(1,0,2)">) -> !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">
        %slice_29 = cute.slice(%tile_to_shape_28, %coord) : !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16),(1,2)):((1,8192),(64,512),(0,16384))">, !cute.coord<"(_,_,0)">
        %view_30 = cute.make_view(%arg3, %11) : !memref_gmem_bf16_2
        %12 = cute.get_shape(%11) : (!cute.layout<"(128,?,4):(1,512,128)">) -> !cute.shape<"(128,?,4)">
        %e0_31, %e1_32, %e2_33 = cute.get_leaves(%12) : !cute.shape<"(128,?,4)">
        %itup_34 = cute.to_int_tuple(%e1_32) : !cute.shape<"?"> to !cute.int_tuple<"?">
        %shape_35 = cute.make_shape(%itup_34) : (!cute.int_tuple<"?">) -> !cute.shape<"(128,?,4)">
        %13 = cute.make_identity_layout(%shape_35) : !cute.layout<"(128,?,4):(1@0,1@1,1@2)">
        %14 = cute.composition(%13, %tile_20) : (!cute.layout<"(128,?,4):(1@0,1@1,1@2)">, !cute.tile<"[128:1;128:1]">) -> !cute.layout<"(128,128):(1@0,1@1)">
        %non_exec_atom_36, %tma_tensor_37 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%view_30, %slice_29, %14) <{kind = <sm_90> num_multicast = 1}> : (!memref_gmem_bf16_2, !cute.composed_layout<"S<3,4,3> o 0 o ((64,2),(8,16)):((1,8192),(64,512))">, !cute.layout<"(128,128):(1@0,1@1)">) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">)
        %15 = cute.kernel_smem_size @kernels::@msa_attention_forward_2 : i64
        %16 = arith.cmpi sgt, %15, %c232448_i64 : i64
        scf.if %16 {
          cute.print("\0AError: kernel '@kernels::@msa_attention_forward_2' launch shared memory exceeds current GPU arch sm_90a allowed. Allocated: {} bytes. Max: 232448 bytes.\0A\0A", %15) : i64
        }
        %17 = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%c512_i32, %c1_i32, %c1_i32), dynamicSmemBytes = %15, gridDim = (%arg17, %c1_i32, %c1_i32), stream = %arg18) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
        cuda.launch_cfg.programmatic_stream_serialization_allowed[%17] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
        cuda.launch_cfg.cooperative[%17] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
        %18 = cuda.launch_ex @kernels::@msa_attention_forward_2<%17> (%non_exec_atom, %tma_tensor, %non_exec_atom_21, %tma_tensor_22, %non_exec_atom_36, %tma_tensor_37, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 17>, (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 32768, tma_gbasis = <"(64,8,2,2):(1@0,1@1,1@2,1@3)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0,0)", "(64,8,2,?):(1@0,1@1,1@2,1@3)">, !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(?,128,4):(1@1,1@0,1@2)">, !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, bf16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@0,1@1,1@2)">, tma_format = BF16_RN>, !cute.coord_tensor<"(0,0,0)", "(128,?,4):(1@0,1@1,1@2)">, !cute.ptr<bf16, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, i32) -> !cuda.result
        %19 = cuda.cast %18 : !cuda.result -> i32
        cuda.return_if_error %19 : i32
      }
    }
    return %c0_i32 : i32
  }
}

