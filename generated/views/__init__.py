# Generated from all .ksy files by `ksykit generate`. Do not edit.
"""Readers without objects, one module for each spec.

A view begins at place `p` of `d`, which starts at byte `start` of the file, and ends before byte
`end`. Other bytes raise FormatError.
"""
