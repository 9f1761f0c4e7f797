// @iterationsRUN@iterations: @iterationscube@iterations-@iterationsopt@iterations %@iterationss@iterations --@iterationscheck@iterations-@iterationsbarrier@iterations-@iterationsuniformity@iterations | @iterationsFileCheck@iterations %@iterationss@iterations

// @iterationsAll@iterations @iterationsunits@iterations @iterationsagree@iterations @iterationswith@iterations @iterationsthe@iterations @iterationsfirst@iterations @iterationsunit@iterations'@iterationss@iterations @iterationscondition@iterations, @iterationsor@iterations @iterationsthe@iterations @iterationscube@iterations @iterationsends@iterations.
// @iterationsCHECK@iterations-@iterationsLABEL@iterations: @iterationscube@iterations.@iterationskernel@iterations @@iterationsbranch@iterations
// @iterationsCHECK@iterations: %[[@iterationsOTHERS@iterations:.*]] = @iterationscube@iterations.@iterationsalloc@iterations : !@iterationscube@iterations.@iterationsshared@iterations<@iterations1@iterations @iterationsx@iterations @iterationsi32@iterations>
// @iterationsCHECK@iterations: %[[@iterationsFIRST@iterations:.*]] = @iterationscube@iterations.@iterationsalloc@iterations : !@iterationscube@iterations.@iterationsshared@iterations<@iterations1@iterations @iterationsx@iterations @iterationsi32@iterations>
// @iterationsCHECK@iterations: %[[@iterationsC@iterations:.*]] = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations
// @iterationsCHECK@iterations: %[[@iterationsHELD@iterations:.*]] = @iterationsarith@iterations.@iterationsextui@iterations %[[@iterationsC@iterations]] : @iterationsi1@iterations @iterationsto@iterations @iterationsi32@iterations
// @iterationsCHECK@iterations: @iterationsscf@iterations.@iterationsif@iterations
// @iterationsCHECK@iterations:   @iterationscube@iterations.@iterationsstore@iterations %[[@iterationsHELD@iterations]], %[[@iterationsFIRST@iterations]]
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
// @iterationsCHECK@iterations: %[[@iterationsSAID@iterations:.*]] = @iterationscube@iterations.@iterationsload@iterations %[[@iterationsFIRST@iterations]]
// @iterationsCHECK@iterations: %[[@iterationsDIFFERS@iterations:.*]] = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsne@iterations, %[[@iterationsHELD@iterations]], %[[@iterationsSAID@iterations]]
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationsplane_reduce@iterations @iterationsaddi@iterations
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationsplane_elect@iterations
// @iterationsCHECK@iterations:   @iterationscube@iterations.@iterationsatomic_rmw@iterations @iterationsaddi@iterations %{{.*}}, %[[@iterationsOTHERS@iterations]]
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationsload@iterations %[[@iterationsOTHERS@iterations]]
// @iterationsCHECK@iterations: @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
// @iterationsCHECK@iterations: %[[@iterationsENDED@iterations:.*]] = @iterationsscf@iterations.@iterationsif@iterations
// @iterationsCHECK@iterations:   @iterationscube@iterations.@iterationsprint@iterations "@iterationsnot@iterations @iterationsall@iterations @iterationsunits@iterations @iterationsof@iterations @iterationscube@iterations {:@iterationsu@iterations} @iterationsreach@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsat@iterations {{.*}}@iterationscheck_barrier_uniformity@iterations.@iterationsmlir@iterations:[[# @@iterationsLINE@iterations + @iterations16@iterations]]:@iterations5@iterations, @iterationsand@iterations @iterationsthe@iterations @iterationsothers@iterations @iterationswould@iterations @iterationswait@iterations @iterationsindefinitely@iterations: {:@iterationsu@iterations} @iterationsof@iterations {:@iterationsu@iterations} @iterationsunits@iterations @iterationsdecide@iterations @iterationsotherwise@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsfirst@iterations; @iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations
// @iterationsCHECK@iterations-@iterationsSAME@iterations: @iterationsfails@iterations
// @iterationsCHECK@iterations: %[[@iterationsGOES@iterations:.*]] = @iterationsarith@iterations.@iterationsxori@iterations %[[@iterationsENDED@iterations]]
// @iterationsCHECK@iterations: @iterationsscf@iterations.@iterationsif@iterations %[[@iterationsGOES@iterations]]
// @iterationsCHECK@iterations:   %[[@iterationsNO@iterations:.*]] = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %[[@iterationsSAID@iterations]]
// @iterationsCHECK@iterations:   %[[@iterationsTAKES@iterations:.*]] = @iterationsarith@iterations.@iterationsxori@iterations %[[@iterationsNO@iterations]]
// @iterationsCHECK@iterations:   @iterationsscf@iterations.@iterationsif@iterations %[[@iterationsTAKES@iterations]] {
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: @iterationscube@iterations.@iterationsload@iterations %@iterationsx@iterations
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
@iterationscube@iterations.@iterationskernel@iterations @@iterationsbranch@iterations(%@iterationsx@iterations: !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationsi@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsabsolute_pos@iterations
  %@iterationsn@iterations = @iterationscube@iterations.@iterationsbuffer_len@iterations %@iterationsx@iterations : !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsi@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations {
    %@iterationsv@iterations = @iterationscube@iterations.@iterationsload@iterations %@iterationsx@iterations[%@iterationsi@iterations] : !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations> -> @iterationsi32@iterations
    // @iterationsThe@iterations @iterationsbarriers@iterations @iterationsof@iterations @iterationsone@iterations @iterationsbranch@iterations @iterationsare@iterations @iterationsone@iterations @iterationscomparison@iterations, @iterationswhich@iterations @iterationsnames@iterations @iterationsthe@iterations @iterationsfirst@iterations.
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
    @iterationscube@iterations.@iterationsstore@iterations %@iterationsv@iterations, %@iterationsx@iterations[%@iterationsi@iterations] : @iterationsi32@iterations, !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// @iterationsThe@iterations @iterationsnumber@iterations @iterationsof@iterations @iterationsiterations@iterations @iterationsis@iterations @iterationscompared@iterations, @iterationsnot@iterations @iterationswhere@iterations @iterationsthey@iterations @iterationsbegin@iterations.
// @iterationsCHECK@iterations-@iterationsLABEL@iterations: @iterationscube@iterations.@iterationskernel@iterations @@iterationsturns@iterations
// @iterationsCHECK@iterations: @iterationsscf@iterations.@iterationsfor@iterations @iterationsunsigned@iterations %[[@iterationsTURN@iterations:.*]] = %{{.*}} @iterationsto@iterations %[[@iterationsCOUNT@iterations:.*]] @iterationsstep@iterations %{{.*}} : @iterationsi32@iterations {
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: %[[@iterationsDISTANCE@iterations:.*]] = @iterationsarith@iterations.@iterationsmuli@iterations %[[@iterationsTURN@iterations]], %{{.*}} : @iterationsi32@iterations
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: %[[@iterationsCOUNTER@iterations:.*]] = @iterationsarith@iterations.@iterationsaddi@iterations %[[@iterationsU@iterations:.*]], %[[@iterationsDISTANCE@iterations]] : @iterationsi32@iterations
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: @iterationscube@iterations.@iterationsstore@iterations %[[@iterationsCOUNTER@iterations]], %@iterationsx@iterations[%[[@iterationsCOUNTER@iterations]]]
@iterationscube@iterations.@iterationskernel@iterations @@iterationsturns@iterations(%@iterationsx@iterations: !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>, %@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  %@iterationsd@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationscube_dim@iterations
  @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationsu@iterations @iterationsto@iterations %@iterationsn@iterations @iterationsstep@iterations %@iterationsd@iterations : @iterationsi32@iterations {
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
    @iterationscube@iterations.@iterationsstore@iterations %@iterationsi@iterations, %@iterationsx@iterations[%@iterationsi@iterations] : @iterationsi32@iterations, !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// @iterationsNo@iterations @iterationslaunch@iterations @iterationscould@iterations @iterationschange@iterations @iterationsthese@iterations, @iterationsand@iterations @iterationsa@iterations @iterationsplane@iterations @iterationswaits@iterations @iterationsfor@iterations @iterationsitself@iterations.
// @iterationsCHECK@iterations-@iterationsLABEL@iterations: @iterationscube@iterations.@iterationskernel@iterations @@iterationshopeless@iterations
// @iterationsCHECK@iterations-@iterationsNOT@iterations: @iterationscube@iterations.@iterationsprint@iterations
@iterationscube@iterations.@iterationskernel@iterations @@iterationshopeless@iterations(%@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsone@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations1@iterations : @iterationsi32@iterations
  %@iterationstwo@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations2@iterations : @iterationsi32@iterations
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  %@iterationsodd@iterations = @iterationscube@iterations.@iterationsremui@iterations %@iterationsu@iterations, %@iterationstwo@iterations : @iterationsi32@iterations
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsodd@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  %@iterationsd@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsu@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  %@iterationsall@iterations = @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations -> (@iterationsi1@iterations) { @iterationsscf@iterations.@iterationsyield@iterations %@iterationsc@iterations : @iterationsi1@iterations } @iterationselse@iterations { %@iterationsnever@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterationsfalse@iterations @iterationsscf@iterations.@iterationsyield@iterations %@iterationsnever@iterations : @iterationsi1@iterations }
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsall@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationsstorage@iterations }
  @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationszero@iterations @iterationsto@iterations %@iterationsu@iterations @iterationsstep@iterations %@iterationsone@iterations : @iterationsi32@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsd@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationsplane@iterations }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// @iterationsA@iterations @iterationsuniform@iterations @iterationscondition@iterations @iterationsneeds@iterations @iterationsno@iterations @iterationscomparison@iterations.
// @iterationsCHECK@iterations-@iterationsLABEL@iterations: @iterationscube@iterations.@iterationskernel@iterations @@iterationssame@iterations
// @iterationsCHECK@iterations-@iterationsNOT@iterations: @iterationscube@iterations.@iterationsprint@iterations
@iterationscube@iterations.@iterationskernel@iterations @@iterationssame@iterations(%@iterationsp@iterations: @iterationsi1@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsp@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// @iterationsNor@iterations @iterationsdoes@iterations @iterationswhat@iterations @iterationsthe@iterations @iterationspositions@iterations @iterationsof@iterations @iterationsall@iterations @iterationsunits@iterations @iterationsgive@iterations @iterationsthe@iterations @iterationssame@iterations @iterationsfor@iterations, @iterationsthough@iterations @iterationsno@iterations @iterationsrange@iterations @iterationssays@iterations @iterationsso@iterations.
// @iterationsCHECK@iterations-@iterationsLABEL@iterations: @iterationscube@iterations.@iterationskernel@iterations @@iterationscomputed@iterations
// @iterationsCHECK@iterations-@iterationsNOT@iterations: @iterationscube@iterations.@iterationsprint@iterations
// @iterationsCHECK@iterations: %[[@iterationsYES@iterations:.*]] = @iterationsarith@iterations.@iterationsconstant@iterations @iterationstrue@iterations
// @iterationsCHECK@iterations-@iterationsNEXT@iterations: @iterationsscf@iterations.@iterationsif@iterations %[[@iterationsYES@iterations]] {
// @iterationsCHECK@iterations: %[[@iterationsFOUR@iterations:.*]] = @iterationsarith@iterations.@iterationsconstant@iterations @iterations4@iterations : @iterationsi32@iterations
// @iterationsCHECK@iterations: @iterationsscf@iterations.@iterationsfor@iterations @iterationsunsigned@iterations %{{.*}} = %{{.*}} @iterationsto@iterations %[[@iterationsFOUR@iterations]] @iterationsstep@iterations
@iterationscube@iterations.@iterationskernel@iterations @@iterationscomputed@iterations() @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationsfive@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations5@iterations : @iterationsi32@iterations
  %@iterationstwo@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations2@iterations : @iterationsi32@iterations
  %@iterationsd@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations64@iterations : @iterationsi32@iterations
  %@iterationsn@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations256@iterations : @iterationsi32@iterations
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  %@iterationsx@iterations = @iterationscube@iterations.@iterationsremui@iterations %@iterationsu@iterations, %@iterationsfive@iterations : @iterationsi32@iterations
  %@iterationsy@iterations = @iterationsarith@iterations.@iterationsminui@iterations %@iterationsx@iterations, %@iterationsu@iterations : @iterationsi32@iterations
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsx@iterations, %@iterationsy@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationsu@iterations @iterationsto@iterations %@iterationsn@iterations @iterationsstep@iterations %@iterationsd@iterations : @iterationsi32@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  @iterationscube@iterations.@iterationsreturn@iterations
}
