import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Figure, FigureRow } from '../../../web/Figure.tsx'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Empty, Unread } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Sheet } from '../../../web/ui/Sheet.tsx'
import { Bad, Chip, Lead } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { splits } from '../contract.ts'
import type { Calendar } from '../settlementContract.ts'
import styles from './settlement.module.css'

type Day = Calendar['days'][number]
const kinds = ['ledger', 'channel', 'arrives'] as const

/** What is to be settled on each of the next fourteen days, and for whom on the chosen one. */
export function SettlementCalendar() {
  const { t } = useTranslation('splits')
  const [params, setParams] = useSearchParams()
  const orgId = Number(params.get('orgId')) || undefined
  const day = /^\d{4}-\d\d-\d\d$/.exec(params.get('day') ?? '')?.[0]
  const set = (key: string, value: unknown) => {
    const next = new URLSearchParams(params)
    if (value) next.set(key, String(value))
    else next.delete(key)
    setParams(next, { replace: true })
  }
  const read = useRead(
    splits.calendar,
    { ...(orgId ? { orgId } : {}), ...(day ? { day } : {}) },
    { inline: true, keep: true },
  )
  useLive('splits', [splits.calendar.path])
  const data = read.data
  if (!data) return <Unread read={read} rows={8} />
  const due = data.days.reduce((sum, one) => sum + one.ledger + one.channel, 0)
  return (
    <>
      <FigureRow>
        <Figure label={t('settlement.due')} value={<Money fen={due} />} />
        <Figure
          label={t('settlement.overdue')}
          value={
            <Bad when={data.overdue > 0}>
              <Money fen={data.overdue} />
            </Bad>
          }
          note={t('settlement.overdueHint')}
        />
        <Figure
          label={t('settlement.manual')}
          value={<Money fen={data.manual} />}
          note={t('settlement.manualHint')}
        />
      </FigureRow>
      <Sheet
        title={t('settlement.calendar')}
        end={
          <OwnerSelect
            value={orgId}
            onChange={(id: unknown) => set('orgId', id)}
            placeholder={t('settlement.all')}
          />
        }
      >
        <div className={styles.days}>
          {data.days.map((one) => (
            <DayCell
              key={one.day}
              day={one}
              pressed={one.day === data.day}
              onPress={() => set('day', one.day)}
            />
          ))}
        </div>
      </Sheet>
      <Parties data={data} />
    </>
  )
}

const weekday = (day: string, lang: string) =>
  new Intl.DateTimeFormat(lang === 'en' ? 'en' : 'zh-CN', {
    weekday: 'short',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))

type CellProps = { day: Day; pressed: boolean; onPress: () => void }
function DayCell({ day, pressed, onPress }: CellProps) {
  const { t } = useTranslation('splits')
  const { lang } = usePrefs()
  const off = day.type === 'HOLIDAY' || day.type === 'REST'
  return (
    <button
      type="button"
      className={styles.day}
      aria-pressed={pressed}
      data-off={off}
      title={day.name || undefined}
      onClick={onPress}
    >
      <span>
        <span>
          {day.day.slice(5)} <small>{weekday(day.day, lang)}</small>
        </span>
        {day.type === 'HOLIDAY' || day.type === 'MAKEUP' ? (
          <Chip tone={day.type === 'HOLIDAY' ? 'closed' : 'warn'}>
            {t(`settlement.type.${day.type}`)}
          </Chip>
        ) : null}
      </span>
      {kinds
        .filter((kind) => day[kind] !== 0)
        .map((kind) => (
          <span key={kind}>
            <small>{t(`settlement.short.${kind}`)}</small> {yuan(day[kind])}
          </span>
        ))}
    </button>
  )
}

function Parties({ data }: { data: Calendar }) {
  const { t } = useTranslation('splits')
  return (
    <Sheet title={t('settlement.parties', { day: data.day })}>
      {data.parties.length === 0 ? (
        <Empty title={t('settlement.none')} />
      ) : (
        <div className={styles.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('fields.partyName')}</th>
                {kinds.map((kind) => (
                  <th key={kind} scope="col">
                    {t(`settlement.kinds.${kind}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.parties.map((party) => (
                <tr key={party.orgId}>
                  <th scope="row">{party.name}</th>
                  {kinds.map((kind) => (
                    <td key={kind}>
                      <Money fen={party[kind]} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data.more ? <Lead>{t('settlement.more', { n: data.parties.length })}</Lead> : null}
    </Sheet>
  )
}
