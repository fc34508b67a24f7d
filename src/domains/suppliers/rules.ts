import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi, say } from '../../shared/text.ts'
import { ownsMachines } from '../machines/rules.ts'
import { locale } from './locale.ts'

/**
 * Days before the end of a licence at which people are told; the last: it has ended. A licence
 * holds on its last day.
 */
export const licenceSteps = [30, 7, 1, -1] as const
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

type Licence = { readonly name: string; readonly until: string; readonly daysLeft: number }
/** What people hear of a licence that ends, or has. */
export function licenceMessage({ daysLeft, ...licence }: Licence): { title: string; body: string } {
  const key = daysLeft < 0 ? 'ended' : daysLeft === 0 ? 'endsToday' : 'ends'
  const both = (part: 'title' | 'body') =>
    bi(
      say(locale.zh.licence[key][part], 'zh-CN', { ...licence, n: daysLeft }),
      say(locale.en.licence[key][part], 'en', { ...licence, n: daysLeft }),
    )
  return { title: both('title'), body: both('body') }
}
