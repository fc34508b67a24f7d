import { defineErrors } from '../../shared/errors.ts'

type Stake = { value: number | null; since: string | null; key: string }

/** What is worth most first; what has no value in money behind it, the longest first. */
export function byStake(a: Stake, b: Stake): number {
  const worth = ({ value }: Stake) => value ?? -1
  if (worth(a) !== worth(b)) return worth(b) - worth(a)
  const [since, other] = [a.since ?? '9', b.since ?? '9']
  if (since !== other) return since < other ? -1 : 1
  return a.key < b.key ? -1 : 1
}

export const linkHours = { H1: 1, D1: 24, D7: 168, D30: 720 } as const
export type LinkTime = keyof typeof linkHours
/** Of one organisation, that are not over. */
export const mostLinks = 20

export const workbenchErrors = defineErrors('workbench', {
  linkOver: [404004, '展示链接无效或已过期', 'This display link is not valid, or it is over'],
  tooManyLinks: [
    422521,
    '有效的展示链接已达 20 个，请先撤销不用的',
    'There are 20 display links already; revoke those that are not used',
  ],
  moneyNotYours: [
    403001,
    '您没有查看金额的权限，不能分享金额',
    'You may not see amounts, so you cannot share them',
  ],
})
