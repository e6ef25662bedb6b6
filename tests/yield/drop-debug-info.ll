; TOOL: --has "add i32"
define i32 @f(i32 %a) !dbg !5 {
    #dbg_value(i32 %a, !9, !DIExpression(), !10)
  %b = add i32 %a, 1, !dbg !10
  ret i32 %b, !dbg !10
}
define i32 @g(i32 %a) {
  ret i32 %a
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "in.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{!12, !12}
!9 = !DILocalVariable(name: "a", arg: 1, scope: !5, file: !1, line: 1, type: !12)
!10 = !DILocation(line: 1, column: 3, scope: !5)
!12 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
