// @iterationsRUN@iterations: @iterationscube@iterations-@iterationsopt@iterations %@iterationss@iterations --@iterationscheck@iterations-@iterationsconvergence@iterations --@iterationssplit@iterations-@iterationsinput@iterations-@iterationsfile@iterations --@iterationsverify@iterations-@iterationsdiagnostics@iterations

// @iterationsConditions@iterations @iterationsthat@iterations @iterationsall@iterations @iterationsunits@iterations @iterationsshare@iterations: @iterationsarguments@iterations, @iterationscube@iterations @iterationspositions@iterations, @iterationsloop@iterations @iterationsbounds@iterations @iterationsof@iterations @iterationsthem@iterations, @iterationsvalues@iterations @iterationsread@iterations @iterationsat@iterations @iterationsone@iterations @iterationsplace@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationsuniform@iterations(%@iterationsx@iterations: !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>, %@iterationsn@iterations: @iterationsi32@iterations, %@iterationsp@iterations: @iterationsi1@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsone@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations1@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsp@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  %@iterationsc@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationscube_pos@iterations
  %@iterationseven@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsc@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationseven@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationsstorage@iterations }
  @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationszero@iterations @iterationsto@iterations %@iterationsn@iterations @iterationsstep@iterations %@iterationsone@iterations : @iterationsi32@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  %@iterationsv@iterations = @iterationscube@iterations.@iterationsload@iterations %@iterationsx@iterations[%@iterationszero@iterations] : !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations> -> @iterationsi32@iterations
  %@iterationsq@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsv@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsq@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  %@iterationss@iterations = @iterationsscf@iterations.@iterationswhile@iterations (%@iterationsk@iterations = %@iterationsn@iterations) : (@iterationsi32@iterations) -> @iterationsi32@iterations {
    %@iterationsgo@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsk@iterations, %@iterationsv@iterations : @iterationsi32@iterations
    @iterationsscf@iterations.@iterationscondition@iterations(%@iterationsgo@iterations) %@iterationsk@iterations : @iterationsi32@iterations
  } @iterationsdo@iterations {
  ^@iterationsbb0@iterations(%@iterationsk@iterations: @iterationsi32@iterations):
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
    %@iterationsd@iterations = @iterationsarith@iterations.@iterationsmuli@iterations %@iterationsk@iterations, %@iterationsk@iterations : @iterationsi32@iterations
    @iterationsscf@iterations.@iterationsyield@iterations %@iterationsd@iterations : @iterationsi32@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsOne@iterations @iterationsunit@iterations @iterationsa@iterations @iterationscube@iterations @iterationsalong@iterations @iterationsy@iterations: @iterationsthat@iterations @iterationsaxis@iterations @iterationssays@iterations @iterationsnothing@iterations @iterationsabout@iterations @iterationsthe@iterations @iterationsunit@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationsone_row@iterations(%@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations, @iterations1@iterations) {
  %@iterationsy@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos_y@iterations
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsy@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  %@iterationsplane@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsplane_pos@iterations
  %@iterationsd@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsplane@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsd@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationsplane@iterations }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

@iterationscube@iterations.@iterationskernel@iterations @@iterationsbranch@iterations(%@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsthis@iterations @iterationscondition@iterations @iterationsdiffers@iterations @iterationsbetween@iterations @iterationsunits@iterations}}
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsu@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations {
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsThrough@iterations @iterationsa@iterations @iterationsload@iterations, @iterationsarithmetic@iterations, @iterationsand@iterations @iterationswhat@iterations @iterationsa@iterations @iterationsloop@iterations @iterationscarries@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationscarried@iterations(%@iterationsx@iterations: !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>, %@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsone@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations1@iterations : @iterationsi32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsdiffers@iterations}}
  %@iterationsv@iterations = @iterationscube@iterations.@iterationsload@iterations %@iterationsx@iterations[%@iterationsu@iterations] : !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations> -> @iterationsi32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsdiffers@iterations}}
  %@iterationss@iterations = @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationszero@iterations @iterationsto@iterations %@iterationsn@iterations @iterationsstep@iterations %@iterationsone@iterations @iterationsiter_args@iterations(%@iterationssum@iterations = %@iterationszero@iterations) -> (@iterationsi32@iterations) : @iterationsi32@iterations {
    // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsdiffers@iterations}}
    %@iterationst@iterations = @iterationsarith@iterations.@iterationsaddi@iterations %@iterationssum@iterations, %@iterationsv@iterations : @iterationsi32@iterations
    @iterationsscf@iterations.@iterationsyield@iterations %@iterationst@iterations : @iterationsi32@iterations
  }
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsthis@iterations @iterationscondition@iterations @iterationsdiffers@iterations @iterationsbetween@iterations @iterationsunits@iterations}}
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationss@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations {
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations.@iterationsnot_reached@iterations {@iterationsway@iterations = "@iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations @iterationsaround@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsrather@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsbarrier@iterations, @iterationsand@iterations @iterationslet@iterations @iterationsunits@iterations @iterationswithout@iterations @iterationswork@iterations @iterationscontinue@iterations @iterationsinstead@iterations @iterationsof@iterations @iterationsending@iterations"}
    @iterationscube@iterations.@iterationssync@iterations @iterationsstorage@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsA@iterations @iterationsloop@iterations @iterationswhose@iterations @iterationsiterations@iterations @iterationsdiffer@iterations, @iterationsand@iterations @iterationsthe@iterations @iterationsresult@iterations @iterationsof@iterations @iterationsone@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationsturns@iterations(%@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsone@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations1@iterations : @iterationsi32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsabsolute_pos@iterations
  @iterationsscf@iterations.@iterationsfor@iterations %@iterationsi@iterations = %@iterationszero@iterations @iterationsto@iterations %@iterationsu@iterations @iterationsstep@iterations %@iterationsone@iterations : @iterationsi32@iterations {
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations.@iterationsnot_reached@iterations {@iterationsway@iterations = "@iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations @iterationsaround@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsrather@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsbarrier@iterations, @iterationsand@iterations @iterationslet@iterations @iterationsunits@iterations @iterationswithout@iterations @iterationswork@iterations @iterationscontinue@iterations @iterationsinstead@iterations @iterationsof@iterations @iterationsending@iterations"}
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsThe@iterations @iterationsplanes@iterations @iterationsdiffer@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationsplanes@iterations(%@iterationsv@iterations: @iterationsf32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations.@iterations0@iterations : @iterationsf32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationss@iterations = @iterationscube@iterations.@iterationsplane_reduce@iterations @iterationsaddf@iterations %@iterationsv@iterations : @iterationsf32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsthis@iterations @iterationscondition@iterations @iterationsdiffers@iterations @iterationsbetween@iterations @iterationsunits@iterations}}
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpf@iterations @iterationsogt@iterations, %@iterationss@iterations, %@iterationszero@iterations : @iterationsf32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations {
    @iterationscube@iterations.@iterationssync@iterations @iterationsplane@iterations
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations.@iterationsnot_reached@iterations {@iterationsway@iterations = "@iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations @iterationsaround@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsrather@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsbarrier@iterations, @iterationsand@iterations @iterationslet@iterations @iterationsunits@iterations @iterationswithout@iterations @iterationswork@iterations @iterationscontinue@iterations @iterationsinstead@iterations @iterationsof@iterations @iterationsending@iterations"}
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsThe@iterations @iterationsresult@iterations @iterationsof@iterations @iterationsan@iterations @iterationsatomic@iterations @iterationsis@iterations @iterationsvarying@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationsfirst@iterations(%@iterationsx@iterations: !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsone@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations1@iterations : @iterationsi32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationsold@iterations = @iterationscube@iterations.@iterationsatomic_rmw@iterations @iterationsaddi@iterations %@iterationsone@iterations, %@iterationsx@iterations[%@iterationszero@iterations] : @iterationsi32@iterations, !@iterationscube@iterations.@iterationsarray@iterations<@iterationsi32@iterations>
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsthis@iterations @iterationscondition@iterations @iterationsdiffers@iterations @iterationsbetween@iterations @iterationsunits@iterations}}
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsold@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations {
    // @iterationsA@iterations @iterationsbarrier@iterations @iterationsof@iterations @iterationsthe@iterations @iterationsplane@iterations @iterationssynchronises@iterations @iterationsthe@iterations @iterationsactive@iterations @iterationslanes@iterations.
    @iterationscube@iterations.@iterationssync@iterations @iterationsplane@iterations
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations.@iterationsnot_reached@iterations {@iterationsway@iterations = "@iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations @iterationsaround@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsrather@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsbarrier@iterations, @iterationsand@iterations @iterationslet@iterations @iterationsunits@iterations @iterationswithout@iterations @iterationswork@iterations @iterationscontinue@iterations @iterationsinstead@iterations @iterationsof@iterations @iterationsending@iterations"}
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsLocal@iterations @iterationsmemory@iterations @iterationsremembers@iterations @iterationsunder@iterations @iterationswhich@iterations @iterationscondition@iterations @iterationsit@iterations @iterationswas@iterations @iterationswritten@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationswritten@iterations(%@iterationsn@iterations: @iterationsi32@iterations, %@iterationsi@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsa@iterations = @iterationscube@iterations.@iterationsalloc@iterations : !@iterationscube@iterations.@iterationslocal@iterations<@iterations4@iterations @iterationsx@iterations @iterationsi32@iterations>
  %@iterationsu@iterations = @iterationscube@iterations.@iterationstopology@iterations @iterationsunit_pos@iterations
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationsult@iterations, %@iterationsu@iterations, %@iterationsn@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations { @iterationscube@iterations.@iterationsstore@iterations %@iterationszero@iterations, %@iterationsa@iterations[%@iterationsi@iterations] : @iterationsi32@iterations, !@iterationscube@iterations.@iterationslocal@iterations<@iterations4@iterations @iterationsx@iterations @iterationsi32@iterations> }
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsbecause@iterations @iterationsthis@iterations @iterationsis@iterations @iterationsanother@iterations @iterationsvalue@iterations @iterationsin@iterations @iterationseach@iterations @iterationsunit@iterations}}
  %@iterationsv@iterations = @iterationscube@iterations.@iterationsload@iterations %@iterationsa@iterations[%@iterationsi@iterations] : !@iterationscube@iterations.@iterationslocal@iterations<@iterations4@iterations @iterationsx@iterations @iterationsi32@iterations> -> @iterationsi32@iterations
  // @iterationsexpected@iterations-@iterationsnote@iterations@+@iterations1@iterations {{@iterationsthis@iterations @iterationscondition@iterations @iterationsdiffers@iterations @iterationsbetween@iterations @iterationsunits@iterations}}
  %@iterationsd@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsv@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsd@iterations {
    // @iterationsexpected@iterations-@iterationserror@iterations@+@iterations1@iterations @iterationsCUBE0315@iterations.@iterationsnot_reached@iterations {@iterationsway@iterations = "@iterationsguard@iterations @iterationsthe@iterations @iterationsaccesses@iterations @iterationsaround@iterations @iterationsthe@iterations @iterationsbarrier@iterations @iterationsrather@iterations @iterationsthan@iterations @iterationsthe@iterations @iterationsbarrier@iterations, @iterationsand@iterations @iterationslet@iterations @iterationsunits@iterations @iterationswithout@iterations @iterationswork@iterations @iterationscontinue@iterations @iterationsinstead@iterations @iterationsof@iterations @iterationsending@iterations"}
    @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  }
  @iterationscube@iterations.@iterationsreturn@iterations
}

// -----

// @iterationsA@iterations @iterationsbarrier@iterations @iterationswrites@iterations @iterationsno@iterations @iterationslocal@iterations @iterationsmemory@iterations: @iterationswhat@iterations @iterationsa@iterations @iterationsunit@iterations @iterationskeeps@iterations @iterationsacross@iterations @iterationsit@iterations @iterationsis@iterations @iterationsas@iterations @iterationsuniform@iterations @iterationsas@iterations @iterationsbefore@iterations.
@iterationscube@iterations.@iterationskernel@iterations @@iterationskept@iterations(%@iterationsn@iterations: @iterationsi32@iterations) @iterationscube_dim@iterations(@iterations64@iterations) {
  %@iterationszero@iterations = @iterationsarith@iterations.@iterationsconstant@iterations @iterations0@iterations : @iterationsi32@iterations
  %@iterationsl@iterations = @iterationscube@iterations.@iterationsalloc@iterations : !@iterationscube@iterations.@iterationslocal@iterations<@iterations1@iterations @iterationsx@iterations @iterationsi32@iterations>
  @iterationscube@iterations.@iterationsstore@iterations %@iterationsn@iterations, %@iterationsl@iterations[%@iterationszero@iterations] : @iterationsi32@iterations, !@iterationscube@iterations.@iterationslocal@iterations<@iterations1@iterations @iterationsx@iterations @iterationsi32@iterations>
  @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations
  %@iterationsv@iterations = @iterationscube@iterations.@iterationsload@iterations %@iterationsl@iterations[%@iterationszero@iterations] : !@iterationscube@iterations.@iterationslocal@iterations<@iterations1@iterations @iterationsx@iterations @iterationsi32@iterations> -> @iterationsi32@iterations
  %@iterationsc@iterations = @iterationsarith@iterations.@iterationscmpi@iterations @iterationseq@iterations, %@iterationsv@iterations, %@iterationszero@iterations : @iterationsi32@iterations
  @iterationsscf@iterations.@iterationsif@iterations %@iterationsc@iterations { @iterationscube@iterations.@iterationssync@iterations @iterationscube@iterations }
  @iterationscube@iterations.@iterationsreturn@iterations
}
