import { Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Note } from '../../../web/form/fields.tsx'
import { MoneyInput } from '../../../web/form/MoneyInput.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { partyOf } from '../../ledger/rules.ts'
import { capOf, type FeeMode, usual } from '../../splits/rules.ts'
import type { ShownParty } from '../contract.ts'
import { canPreview, othersOf, previewOf } from '../rules.ts'
import type { Choices } from './MerchantSelect.tsx'
import type { Line } from './PartyLines.tsx'
import styles from './shares.module.css'

const largest = 10_000_000

const useValue = <T,>(name: string): T | undefined =>
  Form.useWatch(name, { form: Form.useFormInstance(), preserve: true })

/** Three sales in a row as the form stands, and after the second is refunded. */
export function Trial({ choices, named }: { choices: Choices; named: readonly ShownParty[] }) {
  const { t } = useTranslation('splitStrategies')
  const lines = useValue<Line[]>('parties') ?? []
  const feeMode = useValue<FeeMode>('feeMode') ?? 'AFTER'
  const mode = useValue<string>('mode') ?? 'LEDGER'
  const configId = useValue<number | null>('configId')
  const [amount, setAmount] = useState<number | null>(350)
  if (!canPreview(lines) || !amount || amount > largest) return <Note>{t('fillFirst')}</Note>
  const { feeBp, capBp } = choices.merchants.find(({ id }) => id === configId) ?? usual
  const cap = capOf(mode, capBp)
  const parties = lines.map(({ ratioBp, isCollector }) => ({ ratioBp: ratioBp ?? 0, isCollector }))
  const { fee, base, sales, refund, next } = previewOf({
    ...{ amount, feeBp, capBp: cap, feeMode, parties },
  })
  const names = new Map([...named, ...choices.parties].map((one) => [partyOf(one), one.name]))
  const rows = [
    ...sales.map((sale, i) => ({ label: t('sale', { n: i + 1 }), ...sale })),
    { label: t('refund'), ...refund },
    { label: t('next'), ...next },
  ]
  return (
    <div className={styles.wide}>
      <div className={styles.foot}>
        <span aria-hidden="true">{t('amount')}</span>
        <span className={styles.amount}>
          <MoneyInput aria-label={t('amount')} value={amount} onChange={setAmount} />
        </span>
        <Muted>{t('feeOf', { fee: yuan(fee), rate: feeBp / 100, base: yuan(base) })}</Muted>
      </div>
      {cap !== null && othersOf(parties) === cap ? <Note type="warning">{t('atCap')}</Note> : null}
      <div className={styles.trial}>
        <table>
          <thead>
            <tr>
              <th aria-label={t('trial')} />
              {lines.map((line, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a party is its position
                <th key={i}>{names.get(partyOf(line)) ?? '—'}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, gives, carries }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {gives.map((give, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a party is its position
                  <td key={i}>
                    {yuan(give)}
                    <small>
                      {t('carry')} {carries[i]}
                    </small>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Muted small>{t('carryHint')}</Muted>
    </div>
  )
}
