; SPIR-V
; Version: 1.6
; Generator: rspirv
; Bound: 366
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %364 "difference" %8 %13 %18 %21 %24 %27 %30 %62 %81
OpExecutionMode %364 LocalSize 32 1 1
%59 = OpString "wide_division.mlir"
OpName %8 "arguments"
OpName %13 "x"
OpName %18 "x_vectors"
OpName %21 "q"
OpName %24 "q_vectors"
OpName %27 "y"
OpName %30 "y_vectors"
OpName %62 "WorkgroupId"
OpName %81 "LocalInvocationId"
OpName %364 "difference"
OpDecorate %5 ArrayStride 16
OpDecorate %6 Block
OpMemberDecorate %6 0 Offset 0
OpDecorate %8 DescriptorSet 0
OpDecorate %8 Binding 3
OpDecorate %10 ArrayStride 8
OpDecorate %11 Block
OpMemberDecorate %11 0 Offset 0
OpDecorate %15 ArrayStride 16
OpDecorate %16 Block
OpMemberDecorate %16 0 Offset 0
OpDecorate %13 DescriptorSet 0
OpDecorate %13 Binding 0
OpDecorate %13 NonWritable
OpDecorate %18 DescriptorSet 0
OpDecorate %18 Binding 0
OpDecorate %18 NonWritable
OpDecorate %19 Block
OpMemberDecorate %19 0 Offset 0
OpDecorate %22 Block
OpMemberDecorate %22 0 Offset 0
OpDecorate %21 DescriptorSet 0
OpDecorate %21 Binding 1
OpDecorate %21 Aliased
OpDecorate %24 DescriptorSet 0
OpDecorate %24 Binding 1
OpDecorate %24 Aliased
OpDecorate %25 Block
OpMemberDecorate %25 0 Offset 0
OpDecorate %28 Block
OpMemberDecorate %28 0 Offset 0
OpDecorate %27 DescriptorSet 0
OpDecorate %27 Binding 2
OpDecorate %27 Aliased
OpDecorate %30 DescriptorSet 0
OpDecorate %30 Binding 2
OpDecorate %30 Aliased
OpDecorate %62 BuiltIn WorkgroupId
OpDecorate %81 BuiltIn LocalInvocationId
%2 = OpTypeInt 32 0
%3 = OpTypeVector %2 4
%4 = OpConstant  %2  5
%5 = OpTypeArray %3 %4
%6 = OpTypeStruct %5
%7 = OpTypePointer Uniform %6
%8 = OpVariable  %7  Uniform
%9 = OpTypeInt 64 0
%10 = OpTypeRuntimeArray %9
%11 = OpTypeStruct %10
%12 = OpTypePointer StorageBuffer %11
%13 = OpVariable  %12  StorageBuffer
%14 = OpTypeVector %9 2
%15 = OpTypeRuntimeArray %14
%16 = OpTypeStruct %15
%17 = OpTypePointer StorageBuffer %16
%18 = OpVariable  %17  StorageBuffer
%19 = OpTypeStruct %10
%20 = OpTypePointer StorageBuffer %19
%21 = OpVariable  %20  StorageBuffer
%22 = OpTypeStruct %15
%23 = OpTypePointer StorageBuffer %22
%24 = OpVariable  %23  StorageBuffer
%25 = OpTypeStruct %10
%26 = OpTypePointer StorageBuffer %25
%27 = OpVariable  %26  StorageBuffer
%28 = OpTypeStruct %15
%29 = OpTypePointer StorageBuffer %28
%30 = OpVariable  %29  StorageBuffer
%31 = OpTypePointer Uniform %2
%32 = OpConstant  %2  0
%35 = OpConstant  %2  1
%38 = OpConstant  %2  2
%41 = OpConstant  %2  3
%48 = OpConstant  %2  57344
%49 = OpConstant  %2  3758096384
%50 = OpConstant  %2  29
%51 = OpConstant  %2  7
%52 = OpConstant  %2  65536
%53 = OpConstant  %2  65535
%54 = OpConstant  %2  16
%55 = OpConstant  %9  32
%56 = OpConstant  %9  0
%57 = OpConstant  %9  100
%58 = OpConstant  %9  7
%60 = OpTypeVector %2 3
%61 = OpTypePointer Input %60
%62 = OpVariable  %61  Input
%65 = OpConstant  %2  4
%79 = OpConstant  %2  32
%81 = OpVariable  %61  Input
%87 = OpTypeBool
%93 = OpTypePointer StorageBuffer %14
%242 = OpConstant  %9  1
%274 = OpTypePointer StorageBuffer %9
%363 = OpTypeVoid
%365 = OpTypeFunction %363
%364 = OpFunction  %363  None %365
%1 = OpLabel
%33 = OpAccessChain  %31  %8 %32 %32 %32
%34 = OpLoad  %2  %33
%36 = OpAccessChain  %31  %8 %32 %32 %35
%37 = OpLoad  %2  %36
%39 = OpAccessChain  %31  %8 %32 %32 %38
%40 = OpLoad  %2  %39
%42 = OpAccessChain  %31  %8 %32 %32 %41
%43 = OpLoad  %2  %42
%44 = OpAccessChain  %31  %8 %32 %35 %32
%45 = OpLoad  %2  %44
%46 = OpAccessChain  %31  %8 %32 %35 %35
%47 = OpLoad  %2  %46
%63 = OpLoad  %60  %62
%64 = OpCompositeExtract  %2  %63 0
%66 = OpAccessChain  %31  %8 %32 %65 %32
%67 = OpLoad  %2  %66
%68 = OpIAdd  %2  %64 %67
%69 = OpCompositeExtract  %2  %63 1
%70 = OpAccessChain  %31  %8 %32 %65 %35
%71 = OpLoad  %2  %70
%72 = OpIMul  %2  %69 %71
%73 = OpCompositeExtract  %2  %63 2
%74 = OpAccessChain  %31  %8 %32 %65 %38
%75 = OpLoad  %2  %74
%76 = OpIMul  %2  %73 %75
%77 = OpIAdd  %2  %72 %76
%78 = OpIAdd  %2  %68 %77
%80 = OpIMul  %2  %78 %79
%82 = OpLoad  %60  %81
%83 = OpCompositeExtract  %2  %82 0
%84 = OpIAdd  %2  %80 %83
OpLine %59 21 0
%85 = OpIMul  %2  %84 %43
%86 = OpIAdd  %2  %85 %35
%88 = OpULessThan  %87  %86 %47
OpSelectionMerge %90 None
OpBranchConditional %88 %89 %91
%89 = OpLabel
OpLine %59 16 0
%92 = OpShiftRightLogical  %2  %85 %35
%94 = OpAccessChain  %93  %18 %32 %92
%95 = OpLoad  %14  %94
%96 = OpCompositeExtract  %9  %95 0
%97 = OpCompositeExtract  %9  %95 1
OpLine %59 17 0
%98 = OpShiftRightLogical  %9  %96 %55
%99 = OpShiftRightLogical  %9  %97 %55
%100 = OpUConvert  %2  %98
%101 = OpUConvert  %2  %99
%102 = OpUDiv  %2  %100 %51
%103 = OpUDiv  %2  %101 %51
%104 = OpIMul  %2  %102 %51
%105 = OpIMul  %2  %103 %51
%106 = OpISub  %2  %100 %104
%107 = OpISub  %2  %101 %105
%108 = OpUConvert  %2  %96
%109 = OpUConvert  %2  %97
%110 = OpShiftRightLogical  %2  %108 %35
%111 = OpShiftRightLogical  %2  %109 %35
%112 = OpShiftRightLogical  %2  %110 %38
%113 = OpShiftRightLogical  %2  %111 %38
%114 = OpShiftLeftLogical  %2  %106 %50
%115 = OpShiftLeftLogical  %2  %107 %50
%116 = OpBitwiseOr  %2  %114 %112
%117 = OpBitwiseOr  %2  %115 %113
%118 = OpShiftLeftLogical  %2  %108 %50
%119 = OpShiftLeftLogical  %2  %109 %50
%120 = OpShiftRightLogical  %2  %118 %54
%121 = OpShiftRightLogical  %2  %119 %54
%122 = OpUDiv  %2  %116 %48
%123 = OpUDiv  %2  %117 %48
%124 = OpIMul  %2  %122 %48
%125 = OpIMul  %2  %123 %48
%126 = OpISub  %2  %116 %124
%127 = OpISub  %2  %117 %125
%128 = OpShiftLeftLogical  %2  %126 %54
%129 = OpShiftLeftLogical  %2  %127 %54
%130 = OpBitwiseOr  %2  %128 %120
%131 = OpBitwiseOr  %2  %129 %121
%132 = OpUGreaterThanEqual  %87  %122 %52
%133 = OpUGreaterThanEqual  %87  %123 %52
%134 = OpULessThan  %87  %130 %32
%135 = OpULessThan  %87  %131 %32
%136 = OpLogicalOr  %87  %132 %134
%137 = OpLogicalOr  %87  %133 %135
%138 = OpULessThan  %87  %126 %52
%139 = OpULessThan  %87  %127 %52
%140 = OpLogicalAnd  %87  %136 %138
%141 = OpLogicalAnd  %87  %137 %139
%142 = OpSelect  %2  %140 %35 %32
%143 = OpSelect  %2  %141 %35 %32
%144 = OpISub  %2  %122 %142
%145 = OpISub  %2  %123 %143
%146 = OpIAdd  %2  %126 %48
%147 = OpIAdd  %2  %127 %48
%148 = OpSelect  %2  %140 %146 %126
%149 = OpSelect  %2  %141 %147 %127
%150 = OpShiftLeftLogical  %2  %148 %54
%151 = OpShiftLeftLogical  %2  %149 %54
%152 = OpBitwiseOr  %2  %150 %120
%153 = OpBitwiseOr  %2  %151 %121
%154 = OpUGreaterThanEqual  %87  %144 %52
%155 = OpUGreaterThanEqual  %87  %145 %52
%156 = OpULessThan  %87  %152 %32
%157 = OpULessThan  %87  %153 %32
%158 = OpLogicalOr  %87  %154 %156
%159 = OpLogicalOr  %87  %155 %157
%160 = OpULessThan  %87  %148 %52
%161 = OpULessThan  %87  %149 %52
%162 = OpLogicalAnd  %87  %158 %160
%163 = OpLogicalAnd  %87  %159 %161
%164 = OpSelect  %2  %162 %35 %32
%165 = OpSelect  %2  %163 %35 %32
%166 = OpISub  %2  %144 %164
%167 = OpISub  %2  %145 %165
%168 = OpShiftLeftLogical  %2  %116 %54
%169 = OpShiftLeftLogical  %2  %117 %54
%170 = OpIAdd  %2  %168 %120
%171 = OpIAdd  %2  %169 %121
%172 = OpIMul  %2  %166 %49
%173 = OpIMul  %2  %167 %49
%174 = OpISub  %2  %170 %172
%175 = OpISub  %2  %171 %173
%176 = OpBitwiseAnd  %2  %118 %53
%177 = OpBitwiseAnd  %2  %119 %53
%178 = OpUDiv  %2  %174 %48
%179 = OpUDiv  %2  %175 %48
%180 = OpIMul  %2  %178 %48
%181 = OpIMul  %2  %179 %48
%182 = OpISub  %2  %174 %180
%183 = OpISub  %2  %175 %181
%184 = OpShiftLeftLogical  %2  %182 %54
%185 = OpShiftLeftLogical  %2  %183 %54
%186 = OpBitwiseOr  %2  %184 %176
%187 = OpBitwiseOr  %2  %185 %177
%188 = OpUGreaterThanEqual  %87  %178 %52
%189 = OpUGreaterThanEqual  %87  %179 %52
%190 = OpULessThan  %87  %186 %32
%191 = OpULessThan  %87  %187 %32
%192 = OpLogicalOr  %87  %188 %190
%193 = OpLogicalOr  %87  %189 %191
%194 = OpULessThan  %87  %182 %52
%195 = OpULessThan  %87  %183 %52
%196 = OpLogicalAnd  %87  %192 %194
%197 = OpLogicalAnd  %87  %193 %195
%198 = OpSelect  %2  %196 %35 %32
%199 = OpSelect  %2  %197 %35 %32
%200 = OpISub  %2  %178 %198
%201 = OpISub  %2  %179 %199
%202 = OpIAdd  %2  %182 %48
%203 = OpIAdd  %2  %183 %48
%204 = OpSelect  %2  %196 %202 %182
%205 = OpSelect  %2  %197 %203 %183
%206 = OpShiftLeftLogical  %2  %204 %54
%207 = OpShiftLeftLogical  %2  %205 %54
%208 = OpBitwiseOr  %2  %206 %176
%209 = OpBitwiseOr  %2  %207 %177
%210 = OpUGreaterThanEqual  %87  %200 %52
%211 = OpUGreaterThanEqual  %87  %201 %52
%212 = OpULessThan  %87  %208 %32
%213 = OpULessThan  %87  %209 %32
%214 = OpLogicalOr  %87  %210 %212
%215 = OpLogicalOr  %87  %211 %213
%216 = OpULessThan  %87  %204 %52
%217 = OpULessThan  %87  %205 %52
%218 = OpLogicalAnd  %87  %214 %216
%219 = OpLogicalAnd  %87  %215 %217
%220 = OpSelect  %2  %218 %35 %32
%221 = OpSelect  %2  %219 %35 %32
%222 = OpISub  %2  %200 %220
%223 = OpISub  %2  %201 %221
%224 = OpShiftLeftLogical  %2  %166 %54
%225 = OpShiftLeftLogical  %2  %167 %54
%226 = OpIAdd  %2  %224 %222
%227 = OpIAdd  %2  %225 %223
%228 = OpUConvert  %9  %102
%229 = OpUConvert  %9  %103
%230 = OpShiftLeftLogical  %9  %228 %55
%231 = OpShiftLeftLogical  %9  %229 %55
%232 = OpUConvert  %9  %226
%233 = OpUConvert  %9  %227
%234 = OpBitwiseOr  %9  %230 %232
%235 = OpBitwiseOr  %9  %231 %233
%236 = OpIMul  %9  %234 %58
%237 = OpIMul  %9  %235 %58
%238 = OpISub  %9  %96 %236
%239 = OpISub  %9  %97 %237
%240 = OpUGreaterThanEqual  %87  %238 %58
%241 = OpUGreaterThanEqual  %87  %239 %58
%243 = OpSelect  %9  %240 %242 %56
%244 = OpSelect  %9  %241 %242 %56
%245 = OpIAdd  %9  %234 %243
%246 = OpIAdd  %9  %235 %244
OpLine %59 18 0
%247 = OpULessThan  %87  %96 %57
%248 = OpULessThan  %87  %97 %57
%249 = OpISub  %9  %96 %57
%250 = OpISub  %9  %97 %57
%251 = OpSelect  %9  %247 %56 %249
%252 = OpSelect  %9  %248 %56 %250
OpLine %59 19 0
%253 = OpShiftRightLogical  %2  %85 %35
%254 = OpAccessChain  %93  %24 %32 %253
%255 = OpCompositeConstruct  %14  %245 %246
OpStore %254 %255
OpLine %59 20 0
%256 = OpShiftRightLogical  %2  %85 %35
%257 = OpAccessChain  %93  %30 %32 %256
%258 = OpCompositeConstruct  %14  %251 %252
OpStore %257 %258
OpBranch %90
%91 = OpLabel
OpBranch %260
%260 = OpLabel
%259 = OpPhi  %2  %32 %91 %362 %262
OpLine %59 21 0
%264 = OpULessThan  %87  %259 %43
OpLoopMerge %263 %262 None
OpBranchConditional %264 %265 %263
%265 = OpLabel
OpLine %59 21 0
%266 = OpIAdd  %2  %85 %259
%267 = OpULessThanEqual  %87  %266 %45
OpSelectionMerge %269 None
OpBranchConditional %267 %268 %269
%268 = OpLabel
OpLine %59 16 0
%270 = OpULessThan  %87  %266 %34
OpSelectionMerge %273 None
OpBranchConditional %270 %272 %273
%272 = OpLabel
OpLine %59 16 0
%275 = OpAccessChain  %274  %13 %32 %266
%276 = OpLoad  %9  %275
OpBranch %273
%273 = OpLabel
%271 = OpPhi  %9  %56 %268 %276 %272
OpLine %59 17 0
%277 = OpShiftRightLogical  %9  %271 %55
%278 = OpUConvert  %2  %277
%279 = OpUDiv  %2  %278 %51
%280 = OpIMul  %2  %279 %51
%281 = OpISub  %2  %278 %280
%282 = OpUConvert  %2  %271
%283 = OpShiftRightLogical  %2  %282 %35
%284 = OpShiftRightLogical  %2  %283 %38
%285 = OpShiftLeftLogical  %2  %281 %50
%286 = OpBitwiseOr  %2  %285 %284
%287 = OpShiftLeftLogical  %2  %282 %50
%288 = OpShiftRightLogical  %2  %287 %54
%289 = OpUDiv  %2  %286 %48
%290 = OpIMul  %2  %289 %48
%291 = OpISub  %2  %286 %290
%292 = OpShiftLeftLogical  %2  %291 %54
%293 = OpBitwiseOr  %2  %292 %288
%294 = OpUGreaterThanEqual  %87  %289 %52
%295 = OpULessThan  %87  %293 %32
%296 = OpLogicalOr  %87  %294 %295
%297 = OpULessThan  %87  %291 %52
%298 = OpLogicalAnd  %87  %296 %297
%299 = OpSelect  %2  %298 %35 %32
%300 = OpISub  %2  %289 %299
%301 = OpIAdd  %2  %291 %48
%302 = OpSelect  %2  %298 %301 %291
%303 = OpShiftLeftLogical  %2  %302 %54
%304 = OpBitwiseOr  %2  %303 %288
%305 = OpUGreaterThanEqual  %87  %300 %52
%306 = OpULessThan  %87  %304 %32
%307 = OpLogicalOr  %87  %305 %306
%308 = OpULessThan  %87  %302 %52
%309 = OpLogicalAnd  %87  %307 %308
%310 = OpSelect  %2  %309 %35 %32
%311 = OpISub  %2  %300 %310
%312 = OpShiftLeftLogical  %2  %286 %54
%313 = OpIAdd  %2  %312 %288
%314 = OpIMul  %2  %311 %49
%315 = OpISub  %2  %313 %314
%316 = OpBitwiseAnd  %2  %287 %53
%317 = OpUDiv  %2  %315 %48
%318 = OpIMul  %2  %317 %48
%319 = OpISub  %2  %315 %318
%320 = OpShiftLeftLogical  %2  %319 %54
%321 = OpBitwiseOr  %2  %320 %316
%322 = OpUGreaterThanEqual  %87  %317 %52
%323 = OpULessThan  %87  %321 %32
%324 = OpLogicalOr  %87  %322 %323
%325 = OpULessThan  %87  %319 %52
%326 = OpLogicalAnd  %87  %324 %325
%327 = OpSelect  %2  %326 %35 %32
%328 = OpISub  %2  %317 %327
%329 = OpIAdd  %2  %319 %48
%330 = OpSelect  %2  %326 %329 %319
%331 = OpShiftLeftLogical  %2  %330 %54
%332 = OpBitwiseOr  %2  %331 %316
%333 = OpUGreaterThanEqual  %87  %328 %52
%334 = OpULessThan  %87  %332 %32
%335 = OpLogicalOr  %87  %333 %334
%336 = OpULessThan  %87  %330 %52
%337 = OpLogicalAnd  %87  %335 %336
%338 = OpSelect  %2  %337 %35 %32
%339 = OpISub  %2  %328 %338
%340 = OpShiftLeftLogical  %2  %311 %54
%341 = OpIAdd  %2  %340 %339
%342 = OpUConvert  %9  %279
%343 = OpShiftLeftLogical  %9  %342 %55
%344 = OpUConvert  %9  %341
%345 = OpBitwiseOr  %9  %343 %344
%346 = OpIMul  %9  %345 %58
%347 = OpISub  %9  %271 %346
%348 = OpUGreaterThanEqual  %87  %347 %58
%349 = OpSelect  %9  %348 %242 %56
%350 = OpIAdd  %9  %345 %349
OpLine %59 18 0
%351 = OpULessThan  %87  %271 %57
%352 = OpISub  %9  %271 %57
%353 = OpSelect  %9  %351 %56 %352
OpLine %59 19 0
%354 = OpULessThan  %87  %266 %37
OpSelectionMerge %356 None
OpBranchConditional %354 %355 %356
%355 = OpLabel
OpLine %59 19 0
%357 = OpAccessChain  %274  %21 %32 %266
OpStore %357 %350
OpBranch %356
%356 = OpLabel
OpLine %59 20 0
%358 = OpULessThan  %87  %266 %40
OpSelectionMerge %360 None
OpBranchConditional %358 %359 %360
%359 = OpLabel
OpLine %59 20 0
%361 = OpAccessChain  %274  %27 %32 %266
OpStore %361 %353
OpBranch %360
%360 = OpLabel
OpBranch %269
%269 = OpLabel
OpLine %59 20 0
%362 = OpIAdd  %2  %259 %35
OpBranch %262
%262 = OpLabel
OpBranch %260
%263 = OpLabel
OpBranch %90
%90 = OpLabel
OpReturn
OpFunctionEnd
