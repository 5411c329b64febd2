package ampi

import "ampirun/shim"

// handler serves one function.
type handler struct {
	run     func(c *call) error
	wide    bool // the _c form: counts have 64 bits
	anytime bool // may be called before MPI_Init and after MPI_Finalize (MPI 5.0 section 11.4.1)
}

// handlers are what Go serves, by function number: the one place that says so.
var handlers = allHandlers()

func allHandlers() (handlers [fnEnd]handler) {
	plain := func(fn shim.Function, run func(*call) error) { handlers[fn] = handler{run: run} }
	both := func(fn, large shim.Function, run func(*call) error) {
		handlers[fn] = handler{run: run}
		handlers[large] = handler{run: run, wide: true}
	}
	anytime := func(fn shim.Function, run func(*call) error) { handlers[fn] = handler{run: run, anytime: true} }

	both(shim.FnTypeContiguous, shim.FnTypeContiguousC, typeContiguous)
	both(shim.FnTypeVector, shim.FnTypeVectorC, typeVector)
	both(shim.FnTypeCreateHvector, shim.FnTypeCreateHvectorC, typeHvector)
	both(shim.FnTypeIndexed, shim.FnTypeIndexedC, typeIndexed)
	both(shim.FnTypeCreateHindexed, shim.FnTypeCreateHindexedC, typeHindexed)
	both(shim.FnTypeCreateIndexedBlock, shim.FnTypeCreateIndexedBlockC, typeIndexedBlock)
	both(shim.FnTypeCreateHindexedBlock, shim.FnTypeCreateHindexedBlockC, typeHindexedBlock)
	both(shim.FnTypeCreateStruct, shim.FnTypeCreateStructC, typeStruct)
	both(shim.FnTypeCreateSubarray, shim.FnTypeCreateSubarrayC, typeSubarray)
	both(shim.FnTypeCreateDarray, shim.FnTypeCreateDarrayC, typeDarray)
	both(shim.FnTypeCreateResized, shim.FnTypeCreateResizedC, typeResized)
	plain(shim.FnTypeDup, typeDup)
	plain(shim.FnTypeCommit, typeCommit)
	plain(shim.FnTypeFree, typeFree)
	both(shim.FnTypeGetEnvelope, shim.FnTypeGetEnvelopeC, typeEnvelope)
	both(shim.FnTypeGetContents, shim.FnTypeGetContentsC, typeContents)
	plain(shim.FnTypeSetName, typeSetName)
	plain(shim.FnTypeGetName, typeGetName)
	plain(shim.FnTypeMatchSize, typeMatchSize)
	plain(shim.FnTypeGetValueIndex, typeValueIndex)
	plain(shim.FnTypeCreateF90Integer, typeF90Integer)
	plain(shim.FnTypeCreateF90Real, typeF90Real)
	plain(shim.FnTypeCreateF90Complex, typeF90Complex)
	both(shim.FnPackExternal, shim.FnPackExternalC, packExternal)
	both(shim.FnUnpackExternal, shim.FnUnpackExternalC, unpackExternal)
	both(shim.FnPackExternalSize, shim.FnPackExternalSizeC, packExternalSize)
	plain(fnTypeElements, typeElements)
	plain(fnTypeBytes, typeBytes)

	plain(shim.FnGroupSize, groupSize)
	plain(shim.FnGroupRank, groupRank)
	plain(shim.FnGroupTranslateRanks, groupTranslate)
	plain(shim.FnGroupCompare, groupCompare)
	plain(shim.FnGroupUnion, combined(Group.union))
	plain(shim.FnGroupIntersection, combined(Group.intersection))
	plain(shim.FnGroupDifference, combined(Group.difference))
	plain(shim.FnGroupIncl, chosen(Group.include))
	plain(shim.FnGroupExcl, chosen(Group.exclude))
	plain(shim.FnGroupRangeIncl, ranged(Group.include))
	plain(shim.FnGroupRangeExcl, ranged(Group.exclude))
	plain(shim.FnGroupFree, groupFree)
	plain(shim.FnCommGroup, commGroup)
	plain(shim.FnCommRemoteGroup, commRemoteGroup)
	anytime(fnCommHints, takeHints(commHints))
	anytime(fnCommInfo, allHints(commHints))
	anytime(fnWinHints, takeHints(winHints))
	anytime(fnWinInfo, allHints(winHints))
	anytime(shim.FnGetHwResourceInfo, hwResourceInfo)
	plain(fnGroupRanks, groupRanks)
	plain(fnGroupMake, groupMake)

	anytime(shim.FnInfoCreate, infoCreate)
	anytime(shim.FnInfoCreateEnv, infoCreateEnv)
	anytime(shim.FnInfoSet, infoSet)
	anytime(shim.FnInfoGet, infoGet)
	anytime(shim.FnInfoGetString, infoGetString)
	anytime(shim.FnInfoGetNkeys, infoCountKeys)
	anytime(shim.FnInfoGetNthkey, infoNthKey)
	anytime(shim.FnInfoGetValuelen, infoValueLength)
	anytime(shim.FnInfoDelete, infoDelete)
	anytime(shim.FnInfoDup, infoDup)
	anytime(shim.FnInfoFree, infoFree)

	anytime(shim.FnErrorClass, errorClass)
	anytime(shim.FnErrorString, errorString)
	anytime(shim.FnAddErrorClass, addErrorClass)
	anytime(shim.FnAddErrorCode, addErrorCode)
	anytime(shim.FnAddErrorString, addErrorString)
	anytime(shim.FnRemoveErrorClass, removeErrorClass)
	anytime(shim.FnRemoveErrorCode, removeErrorCode)
	anytime(shim.FnRemoveErrorString, removeErrorString)
	anytime(fnErrorText, errorText)

	anytime(shim.FnAbiGetInfo, abiInfo)
	anytime(shim.FnAbiGetFortranInfo, abiFortranInfo)
	anytime(shim.FnAbiSetFortranInfo, abiSetFortranInfo)
	anytime(shim.FnAbiGetFortranBooleans, abiFortranBooleans)
	anytime(shim.FnAbiSetFortranBooleans, abiSetFortranBooleans)

	plain(shim.FnDimsCreate, dimsCreate)
	return handlers
}
