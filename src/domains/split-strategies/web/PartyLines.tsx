import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Form, Radio } from 'antd'
import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { Field, Note } from '../../../web/form/fields.tsx'
import { PercentInput } from '../../../web/form/PercentInput.tsx'
import { FormContext } from '../../../web/form/useForm.ts'
import { OrderHandle } from '../../../web/list/OrderHandle.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Select } from '../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { isReferrer, partyOf } from '../../ledger/rules.ts'
import type { ShownParty } from '../contract.ts'
import { partyFindings } from '../rules.ts'
import type { Choices } from './MerchantSelect.tsx'
import { ShareBar } from './Shares.tsx'
import styles from './shares.module.css'
import { percent } from './texts.ts'

export type Line = {
  orgId?: number | null
  referrerId?: number | null
  ratioBp?: number | null
  isCollector: boolean
}
const most = 10

type Option = { value: number; label: string }
/** An organisation or a referrer: one choice for two fields of the line. */
function PartySelect({
  line,
  options,
  choose,
  ...field
}: {
  line: Line
  options: Option[]
  choose: (party: number) => void
  id?: string
  'aria-label'?: string
}) {
  const { t } = useTranslation('splitStrategies')
  return (
    <Select
      {...field}
      aria-label={t('fields.partyId')}
      showSearch
      optionFilterProp="label"
      options={options}
      value={partyOf(line) || null}
      onChange={choose}
    />
  )
}

/** Who has a share, in their order; one of them collects. */
export function PartyLines({
  choices,
  keeping,
  named,
}: {
  choices: Choices['parties']
  /** Whoever gives nothing back of what was refunded. */
  keeping: readonly number[]
  /** Those of the record, who may not be there any more. */
  named: readonly ShownParty[]
}) {
  const { t } = useTranslation(['splitStrategies', 'web'])
  const { lang } = usePrefs()
  const form = Form.useFormInstance()
  const lines = (Form.useWatch('parties', { form, preserve: true }) ?? []) as Line[]
  const engine = useContext(FormContext)
  const set = (next: Line[]) => {
    form.setFieldValue('parties', next)
    engine?.changed({ parties: next })
  }
  const known = new Map([...named, ...choices].map((one) => [partyOf(one), one]))
  const options = [...known].map(([value, { name, kind }]) => ({
    value,
    label: `${name} · ${t(`enums.kind.${kind}`)}`,
  }))
  const choose = (at: number, party: number) => {
    const usualBp = choices.find((one) => partyOf(one) === party)?.usualBp || null
    set(
      lines.map((line, i) =>
        i === at
          ? {
              ...line,
              orgId: party > 0 ? party : null,
              referrerId: isReferrer(party) ? -party : null,
              ratioBp: line.ratioBp ?? usualBp,
            }
          : line,
      ),
    )
  }
  const move = (from: number, to: number) => {
    const next = lines.filter((_, i) => i !== from)
    next.splice(to, 0, lines[from] as Line)
    set(next)
  }
  const whole = lines.reduce((sum, { ratioBp }) => sum + (ratioBp ?? 0), 0)
  const wrong = partyFindings(lines)[0]
  return (
    <div className={styles.wide}>
      <div>
        {lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a party is its position
          <div key={i} className={styles.line} data-row-key={i}>
            <OrderHandle label={t('moveParty')} onDrop={(beside) => move(i, Number(beside))}>
              {null}
            </OrderHandle>
            <Field
              name={`parties.${i}.orgId`}
              label=""
              required
              {...(!line.isCollector && keeping.includes(partyOf(line))
                ? { hint: t('keeps') }
                : {})}
            >
              <PartySelect line={line} options={options} choose={(party) => choose(i, party)} />
            </Field>
            <Field name={`parties.${i}.ratioBp`} label="" required>
              <PercentInput label={t('fields.ratioBp')} />
            </Field>
            <Radio
              checked={line.isCollector}
              onChange={() => set(lines.map((one, at) => ({ ...one, isCollector: at === i })))}
            >
              {t('collector')}
            </Radio>
            <Button
              type="text"
              icon={<DeleteOutlined />}
              aria-label={t('removeParty')}
              disabled={lines.length < 2}
              onClick={() => set(lines.filter((_, at) => at !== i))}
            />
          </div>
        ))}
      </div>
      {lines.some((line) => isReferrer(partyOf(line))) ? <Note>{t('referrerHint')}</Note> : null}
      <ShareBar shares={lines.map(({ ratioBp }) => ({ ratioBp: ratioBp ?? 0 }))} />
      <div className={styles.foot}>
        {lines.length < most ? (
          <Button icon={<PlusOutlined />} onClick={() => set([...lines, { isCollector: false }])}>
            {t('addParty')}
          </Button>
        ) : null}
        <span aria-live="polite">
          <Muted>{t('sum', { n: percent(whole).slice(0, -1) })}</Muted>{' '}
          {wrong ? <Bad>{say(wrong.text, lang)}</Bad> : null}
        </span>
      </div>
    </div>
  )
}
