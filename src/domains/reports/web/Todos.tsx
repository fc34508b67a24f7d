import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { Count } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Mark, type Tone } from '../../../web/StatusTag.tsx'
import { age } from '../../../web/time.ts'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import type { Summary } from '../contract.ts'
import { lastDays } from '../rules.ts'
import styles from './Home.module.css'

export type Todo = {
  key: string
  tone: Tone
  label: string
  count: number
  note?: string | undefined
  hint?: string | undefined
  to: readonly string[]
}

/**
 * One row of things to do, each opening its filtered list. Without a page to open there is no card.
 */
export function Todos({ todos, asOf }: { todos: Summary['todos']; asOf: string }) {
  const { t } = useTranslation('reports')
  const { lang } = usePrefs()
  const now = new Date(asOf)
  const since = (at: string | null) => (at ? age(new Date(at), now, lang) : null)
  const { devices, abnormal, soldOut, faults, recon } = todos
  const list: Todo[] = []
  if (devices) {
    const longest = since(devices.longestOfflineSince)
    list.push(
      {
        key: 'online',
        tone: 'online',
        label: t('todo.online'),
        count: devices.online,
        note: [
          t('todo.ofTotal', { n: devices.total }),
          ...(devices.idle > 0 ? [t('todo.idle', { n: devices.idle })] : []),
        ].join(' · '),
        hint: devices.idle > 0 ? t('todo.idleHint') : undefined,
        to: ['/device/device-list?status=online'],
      },
      {
        key: 'offline',
        tone: 'offline',
        label: t('todo.offline'),
        count: devices.offline,
        note: longest ? t('todo.longest', { age: longest }) : undefined,
        to: ['/offline-equipment?tab=offline', '/device/device-list?status=offline'],
      },
    )
  }
  if (abnormal)
    list.push({
      key: 'abnormal',
      tone: 'fault',
      label: t('todo.abnormal'),
      count: abnormal.orders,
      note: abnormal.refunding > 0 ? t('todo.refunding', { n: abnormal.refunding }) : undefined,
      to: [
        `/order/order-list?orderStatus=ABNORMAL&from=${lastDays(now, 30)[0]}&to=${shanghaiDay(now)}`,
      ],
    })
  if (soldOut)
    list.push({
      key: 'soldOut',
      tone: 'soldOut',
      label: t('todo.soldOut'),
      count: soldOut.lanes,
      note: soldOut.devices > 0 ? t('todo.soldOutDevices', { n: soldOut.devices }) : undefined,
      to: [
        '/stock/cordon_stock?kind=SOLD_OUT',
        '/stock/replenish',
        '/device/device-list?soldOut=true',
      ],
    })
  if (faults) {
    const oldest = since(faults.oldestAt)
    list.push({
      key: 'faults',
      tone: 'fault',
      label: t('todo.faults'),
      count: faults.open,
      note: oldest ? t('todo.oldest', { age: oldest }) : undefined,
      to: ['/device/device-list?hasFault=true'],
    })
  }
  if (recon)
    list.push({
      key: 'recon',
      tone: 'warn',
      label: t('todo.recon'),
      count: recon.open,
      note: recon.review > 0 ? t('todo.review', { n: recon.review }) : undefined,
      to: ['/finance/billing-details/reconciliation/differences?open=true'],
    })
  return <TodoCards list={list} />
}

/** Figures that open their lists, in one row. */
export function TodoCards({ list }: { list: readonly Todo[] }) {
  const { t } = useTranslation('reports')
  const target = useTarget()
  const shown = list.flatMap((todo) => {
    const to = todo.to.map(target).find((found) => found !== undefined)
    return to ? [{ ...todo, to }] : []
  })
  if (shown.length === 0) return null
  return (
    <nav className={styles.todos} aria-label={t('todo.title')}>
      {shown.map((todo) => (
        <Tooltip key={todo.key} title={todo.hint}>
          <Link to={todo.to} className={styles.todo} data-zero={todo.count === 0}>
            <Mark tone={todo.tone} />
            <span>{todo.label}</span>
            <strong>
              <Count value={todo.count} />
            </strong>
            <small title={todo.note}>{todo.note}</small>
            <RightOutlined className={styles.chevron} />
          </Link>
        </Tooltip>
      ))}
    </nav>
  )
}
