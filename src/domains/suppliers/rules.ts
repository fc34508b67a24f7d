import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'
import { ownsMachines } from '../machines/rules.ts'

export const licenceStates = ['NONE', 'VALID', 'SOON', 'EXPIRED'] as const

export const supplierErrors = defineErrors('suppliers', {
  nameTaken: [409004, '供应商名称已存在', 'This organisation has a supplier of this name'],
  ownerKind: [422001, '该机构不能拥有供应商', 'This organisation cannot own suppliers'],
  wrongOrganisation: [
    422001,
    '请选择所属机构下级的供应商机构',
    'Choose an organisation of the kind supplier, below the owner of the entry',
  ],
})

/** Whoever may own machines. */
export const ownerRule = (kind: string): ErrorDef | null =>
  ownsMachines(kind) ? null : supplierErrors.ownerKind

export type Licensed = {
  readonly suppliesDrugs: boolean
  readonly licence: string
  readonly licenceUntil: string | null
}

/** Drugs come from who has a licence; all findings at once, for the form. */
export const licenceFindings = ({ suppliesDrugs, licence, licenceUntil }: Licensed) => [
  ...(suppliesDrugs && !licence
    ? [{ field: 'licence', text: bi('请上传经营许可证', 'Upload the drug licence') }]
    : []),
  ...(suppliesDrugs && !licenceUntil
    ? [{ field: 'licenceUntil', text: bi('请选择许可证有效期', 'Say how long the licence holds') }]
    : []),
]
