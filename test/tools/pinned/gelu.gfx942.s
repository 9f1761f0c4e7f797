	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	gelu
	.p2align	8
	.type	gelu,@function
gelu:
	s_load_dwordx2 s[6:7], s[0:1], 0x20
	s_load_dwordx8 s[8:15], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s0, s7, s4
	s_add_i32 s0, s0, s3
	s_mul_i32 s0, s0, s6
	s_add_i32 s0, s0, s2
	v_lshl_or_b32 v0, s0, 8, v0
	v_cmp_gt_u32_e32 vcc, s14, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_4
	v_cmp_gt_u32_e32 vcc, s10, v0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_3
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v3, s9
	v_lshl_add_u64 v[2:3], v[0:1], 2, v[2:3]
	global_load_dword v2, v[2:3], off
.LBB0_3:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v3, 0x3f3504f3, v2
	v_cmp_ngt_f32_e64 s[0:1], |v3|, 4.0
	v_mov_b32_e32 v6, 0xbb8aec4d
	v_not_b32_e32 v7, 63
	v_cndmask_b32_e64 v5, 4.0, |v3|, s[0:1]
	v_fmac_f32_e32 v6, 0x398c47fe, v5
	v_fmaak_f32 v6, v6, v5, 0x3d00d5bd
	v_fmaak_f32 v6, v6, v5, 0xbe183604
	v_fmaak_f32 v6, v6, v5, 0xbf6bb7c0
	v_fmaak_f32 v6, v6, v5, 0xbfd01fd4
	v_fmaak_f32 v5, v6, v5, 0xba05fabc
	s_mov_b32 s0, 0xc2fc0000
	v_mov_b32_e32 v6, 0x42800000
	v_cmp_gt_f32_e32 vcc, s0, v5
	v_mov_b32_e32 v8, 0xba4b8bf0
	s_brev_b32 s0, -2
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_add_f32_e32 v5, v5, v6
	v_exp_f32_e32 v6, v5
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_mov_b32_e32 v4, s12
	v_mov_b32_e32 v5, s13
	v_ldexp_f32 v6, v6, v7
	v_mul_f32_e32 v7, v3, v3
	v_fmac_f32_e32 v8, 0x38941150, v7
	v_fmaak_f32 v8, v8, v7, 0x3ba91630
	v_fmaak_f32 v8, v8, v7, 0xbcdbddc4
	v_fmaak_f32 v8, v8, v7, 0x3de714c0
	v_sub_f32_e32 v6, 1.0, v6
	v_fmaak_f32 v8, v8, v7, 0xbec09397
	v_bfi_b32 v6, s0, v6, v3
	s_mov_b32 s0, 0x3f900000
	v_fmaak_f32 v7, v8, v7, 0x3e0375d4
	v_cmp_lt_f32_e64 vcc, |v3|, s0
	v_fmac_f32_e32 v3, v3, v7
	v_mul_f32_e32 v2, 0.5, v2
	v_cndmask_b32_e32 v3, v6, v3, vcc
	v_add_f32_e32 v3, 1.0, v3
	v_mul_f32_e32 v2, v2, v3
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[4:5]
	global_store_dword v[0:1], v2, off
.LBB0_4:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gelu
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 288
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
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 12
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
	.size	gelu, .Lfunc_end0-gelu

	.set gelu.num_vgpr, 9
	.set gelu.num_agpr, 0
	.set gelu.numbered_sgpr, 16
	.set gelu.num_named_barrier, 0
	.set gelu.private_seg_size, 0
	.set gelu.uses_vcc, 1
	.set gelu.uses_flat_scratch, 0
	.set gelu.has_dyn_sized_stack, 0
	.set gelu.has_recursion, 0
	.set gelu.has_indirect_call, 0
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
        .name:           x
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           x_len
        .offset:         8
        .size:           8
        .value_kind:     by_value
      - .address_space:  global
        .name:           y
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .name:           y_len
        .offset:         24
        .size:           8
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .max_flat_workgroup_size: 256
    .name:           gelu
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         gelu.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     9
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
