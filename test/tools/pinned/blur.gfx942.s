	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	blur
	.p2align	8
	.type	blur,@function
blur:
	s_load_dwordx4 s[12:15], s[0:1], 0x20
	v_and_b32_e32 v1, 0x3ff, v0
	v_bfe_u32 v0, v0, 10, 10
	v_lshl_or_b32 v2, s2, 4, v1
	v_lshl_or_b32 v7, s3, 4, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s12, v2
	v_cmp_gt_u32_e64 s[2:3], s13, v7
	s_and_b64 s[2:3], vcc, s[2:3]
	s_and_saveexec_b64 s[4:5], s[2:3]
	s_cbranch_execz .LBB0_24
	s_cmp_eq_u32 s14, 0
	s_cbranch_scc1 .LBB0_24
	v_mad_u64_u32 v[0:1], s[2:3], s12, v7, v[2:3]
	v_add_u32_e32 v1, -1, v7
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_add_i32 s1, s13, -1
	v_max_i32_e32 v1, 0, v1
	v_add_u32_e32 v3, -1, v2
	v_min_i32_e32 v1, s1, v1
	v_mul_lo_u32 v4, v1, s12
	v_max_i32_e32 v1, 0, v3
	v_max_i32_e32 v3, 0, v2
	v_add_u32_e32 v2, 1, v2
	s_add_i32 s0, s12, -1
	v_max_i32_e32 v2, 0, v2
	v_min_i32_e32 v8, s0, v1
	v_min_i32_e32 v9, s0, v3
	v_min_i32_e32 v10, s0, v2
	v_add_u32_e32 v1, v8, v4
	v_add_u32_e32 v3, v9, v4
	v_add_u32_e32 v2, v10, v4
	v_max_i32_e32 v4, 0, v7
	v_add_u32_e32 v7, 1, v7
	v_max_i32_e32 v7, 0, v7
	v_min_i32_e32 v4, s1, v4
	v_min_i32_e32 v7, s1, v7
	v_mul_lo_u32 v6, v4, s12
	v_mul_lo_u32 v11, v7, s12
	v_add_u32_e32 v4, v8, v6
	v_add_u32_e32 v5, v9, v6
	v_add_u32_e32 v6, v10, v6
	v_add_u32_e32 v7, v8, v11
	v_add_u32_e32 v8, v9, v11
	v_add_u32_e32 v9, v10, v11
	v_mul_lo_u32 v0, v0, s14
	v_mul_lo_u32 v1, v1, s14
	v_mul_lo_u32 v3, v3, s14
	v_mul_lo_u32 v2, v2, s14
	v_mul_lo_u32 v4, v4, s14
	v_mul_lo_u32 v5, v5, s14
	v_mul_lo_u32 v6, v6, s14
	v_mul_lo_u32 v7, v7, s14
	v_mul_lo_u32 v8, v8, s14
	v_mul_lo_u32 v9, v9, s14
	s_branch .LBB0_4
.LBB0_3:
	s_or_b64 exec, exec, s[0:1]
	s_add_i32 s14, s14, -1
	v_add_u32_e32 v9, 1, v9
	v_add_u32_e32 v8, 1, v8
	v_add_u32_e32 v7, 1, v7
	v_add_u32_e32 v6, 1, v6
	v_add_u32_e32 v5, 1, v5
	v_add_u32_e32 v4, 1, v4
	v_add_u32_e32 v2, 1, v2
	v_add_u32_e32 v3, 1, v3
	v_add_u32_e32 v0, 1, v0
	s_cmp_lg_u32 s14, 0
	v_add_u32_e32 v1, 1, v1
	s_cbranch_scc0 .LBB0_24
.LBB0_4:
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s6, v1
	v_mov_b32_e32 v10, 8
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_6
	global_load_ubyte v10, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_add_u16_e32 v10, 8, v10
.LBB0_6:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v11, 0
	v_cmp_gt_u32_e32 vcc, s6, v3
	v_mov_b32_e32 v12, v11
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_8
	global_load_ubyte v12, v3, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b16_e32 v12, 1, v12
.LBB0_8:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s6, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_10
	global_load_ubyte v11, v2, s[4:5]
.LBB0_10:
	s_or_b64 exec, exec, s[0:1]
	v_mov_b32_e32 v13, 0
	v_cmp_gt_u32_e32 vcc, s6, v4
	v_mov_b32_e32 v14, v13
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_12
	global_load_ubyte v14, v4, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b16_e32 v14, 1, v14
.LBB0_12:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s6, v5
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_14
	global_load_ubyte v13, v5, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b16_e32 v13, 2, v13
.LBB0_14:
	s_or_b64 exec, exec, s[0:1]
	v_mov_b32_e32 v15, 0
	v_cmp_gt_u32_e32 vcc, s6, v6
	v_mov_b32_e32 v16, v15
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_16
	global_load_ubyte v16, v6, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b16_e32 v16, 1, v16
.LBB0_16:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s6, v7
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_18
	global_load_ubyte v15, v7, s[4:5]
.LBB0_18:
	s_or_b64 exec, exec, s[0:1]
	v_mov_b32_e32 v17, 0
	v_cmp_gt_u32_e32 vcc, s6, v8
	v_mov_b32_e32 v18, v17
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execnz .LBB0_21
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s6, v9
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execnz .LBB0_22
.LBB0_20:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s10, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_3
	s_branch .LBB0_23
.LBB0_21:
	global_load_ubyte v18, v8, s[4:5]
	s_waitcnt vmcnt(0)
	v_lshlrev_b16_e32 v18, 1, v18
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s6, v9
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_20
.LBB0_22:
	global_load_ubyte v17, v9, s[4:5]
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, s10, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_3
.LBB0_23:
	v_add_u16_e32 v10, v12, v10
	s_waitcnt vmcnt(0)
	v_add_u16_e32 v10, v11, v10
	v_add_u16_e32 v10, v14, v10
	v_add_u16_e32 v10, v13, v10
	v_add_u16_e32 v10, v16, v10
	v_add_u16_e32 v10, v15, v10
	v_add_u16_e32 v10, v18, v10
	v_add_u16_e32 v10, v17, v10
	v_lshrrev_b16_e32 v10, 4, v10
	global_store_byte v0, v10, s[8:9]
	s_branch .LBB0_3
.LBB0_24:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel blur
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 20
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	blur, .Lfunc_end0-blur

	.set blur.num_vgpr, 19
	.set blur.num_agpr, 0
	.set blur.numbered_sgpr, 16
	.set blur.num_named_barrier, 0
	.set blur.private_seg_size, 0
	.set blur.uses_vcc, 1
	.set blur.uses_flat_scratch, 0
	.set blur.has_dyn_sized_stack, 0
	.set blur.has_recursion, 0
	.set blur.has_indirect_call, 0
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .name:           src
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           src_len
        .offset:         8
        .size:           8
        .value_kind:     by_value
      - .address_space:  global
        .name:           dst
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .name:           dst_len
        .offset:         24
        .size:           8
        .value_kind:     by_value
      - .name:           width
        .offset:         32
        .size:           4
        .value_kind:     by_value
      - .name:           height
        .offset:         36
        .size:           4
        .value_kind:     by_value
      - .name:           channels
        .offset:         40
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           blur
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 16
      - 16
      - 1
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         blur.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
