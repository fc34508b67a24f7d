import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { Chart } from '../../../web/charts.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { Note } from '../../../web/form/fields.tsx'
import { Count, Money } from '../../../web/Money.tsx'
import { product } from '../../../web/product.ts'
import { useMay } from '../../../web/session.ts'
import { Figures, Sheet } from '../../../web/ui/Sheet.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { type SimulationResult, type SimulationRow, splitSimulations } from '../contract.ts'
import { roundingEdges } from '../replay.ts'
import styles from './simulate.module.css'

type Both = { readonly before: number; readonly after: number }
const columns = ['part', 'name', 'party', 'before', 'after', 'difference', 'changeBp']

/** What came out: in all, by party, day and machine, and what a person should look at. */
export function Result({ row, result }: { row: SimulationRow; result: SimulationResult }) {
  const { t } = useTranslation('splitSimulations')
  const may = useMay()
  const confirm = useConfirm()
  const { before, after, parties } = result
  const total = parties.length * (result.days.length + 1)
  const write = () =>
    product.exportList({
      ...{ endpoint: splitSimulations.lines, ns: 'splitSimulations', columns, confirm, total },
      query: { id: row.id },
    })
  const figure = (key: 'orders' | 'units', value = after[key]) =>
    [t(`fields.${key}`), <Count key={key} value={value} />] as const
  const money = (key: 'paid' | 'refunded' | 'fee') =>
    [
      t(`fields.${key}`),
      <span key={key}>
        <Money fen={after[key]} />
        {before[key] === after[key] ? null : (
          <Muted small>
            {' '}
            {t('fields.before')} {yuan(before[key])}
          </Muted>
        )}
      </span>,
    ] as const
  const negative = parties.flatMap(({ name, negative }) =>
    negative ? [{ name, day: negative.day, amount: yuan(negative.amount) }] : [],
  )
  return (
    <div className={styles.grid}>
      <Sheet
        title={t('headline')}
        note={`${t('version', { n: row.versionNo })} / ${
          row.comparedNo === null ? t('unsplit') : t('version', { n: row.comparedNo })
        } · ${row.from} ~ ${row.to}`}
        end={
          may('split-strategy:export') ? (
            <Button onClick={() => void write()}>{t('export')}</Button>
          ) : null
        }
      >
        <Figures
          items={[
            figure('orders'),
            figure('units'),
            money('paid'),
            money('refunded'),
            money('fee'),
          ]}
        />
        {negative.map((one) => (
          <Note key={one.name} type="warning">
            {t('negative', one)}
          </Note>
        ))}
        {result.kept > 0 ? (
          <Note type="warning">
            {t('kept')} {yuan(result.kept)}：{t('keptHint')}
          </Note>
        ) : null}
      </Sheet>
      <Sheet title={t('parties')}>
        <Table
          head={[t('fields.party'), t('fields.carry')]}
          rows={parties.map(({ orgId, name, carry, ...both }) => ({
            ...{ key: orgId, cells: [name, <Muted key="c">{carry}</Muted>] },
            ...both,
          }))}
        />
        <Muted small>
          {t('fields.carry')}: {t('carryUnit')}
        </Muted>
      </Sheet>
      <Daily result={result} />
      <Sheet title={t('roundings')}>
        <Chart
          label={t('roundings')}
          categories={edges()}
          series={[{ name: t('fields.units'), kind: 'bar', values: result.roundings }]}
        />
      </Sheet>
      <Machines title={t('winners')} none={t('noneMore')} rows={result.winners} />
      <Machines title={t('losers')} none={t('noneLess')} rows={result.losers} />
      <Sheet title={t('overCap')}>
        <Muted>
          {result.overCap.count > 0
            ? t('overCapSome', { n: result.overCap.count })
            : t('overCapNone')}
        </Muted>
        <ul className={styles.orders}>
          {result.overCap.list.slice(0, 50).map(({ orderNum, amount }) => (
            <li key={orderNum}>
              <Link to={`/order/order-list?keyword=${orderNum}`}>{orderNum}</Link> {yuan(amount)}
            </li>
          ))}
        </ul>
      </Sheet>
    </div>
  )
}

/** What one party got of each day, and would have got. */
function Daily({ result: { days, parties } }: { result: SimulationResult }) {
  const { t } = useTranslation('splitSimulations')
  const [at, setAt] = useState(0)
  const yuanOf = (values: readonly number[]) => (values[at] ?? 0) / 100
  const format = (value: number) => yuan(Math.round(value * 100))
  return (
    <Sheet
      title={t('daily')}
      end={
        <Select
          aria-label={t('fields.party')}
          style={{ width: 180 }}
          value={at}
          options={parties.map(({ name }, value) => ({ value, label: name }))}
          onChange={(next: number) => setAt(next)}
        />
      }
    >
      <Chart
        label={`${t('daily')} ${parties[at]?.name ?? ''}`}
        categories={days.map(({ day }) => day.slice(5))}
        series={[
          {
            ...{ name: t('fields.after'), kind: 'line', format },
            values: days.map(({ after }) => yuanOf(after)),
          },
          {
            ...{ name: t('fields.before'), kind: 'line', compare: true, format },
            values: days.map(({ before }) => yuanOf(before)),
          },
        ]}
      />
    </Sheet>
  )
}

const edges = (): string[] => {
  const texts = roundingEdges.map((edge) => (edge / 100).toFixed(2))
  return [`<${texts[0]}`, ...texts.map((text) => `≥${text}`)]
}

type Named = Both & { readonly id: number; readonly name: string }
function Machines({ title, none, rows }: { title: string; none: string; rows: readonly Named[] }) {
  const { t } = useTranslation('splitSimulations')
  return (
    <Sheet title={title}>
      {rows.length === 0 ? (
        <Muted>{none}</Muted>
      ) : (
        <Table
          head={[t('fields.deviceIds')]}
          rows={rows.map(({ id, name, ...both }) => ({ key: id, cells: [name], ...both }))}
        />
      )}
    </Sheet>
  )
}

type Row = Both & { readonly key: number; readonly cells: readonly ReactNode[] }
/** Things with what they get now and would get; the first cell names them. */
function Table({ head, rows }: { head: readonly string[]; rows: readonly Row[] }) {
  const { t } = useTranslation('splitSimulations')
  return (
    <div className={styles.table}>
      <table>
        <thead>
          <tr>
            <th>{head[0]}</th>
            {(['before', 'after', 'difference', 'changeBp'] as const).map((key) => (
              <th key={key}>{t(`fields.${key}`)}</th>
            ))}
            {head.slice(1).map((one) => (
              <th key={one}>{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, before, after }) => (
            <tr key={key}>
              <th scope="row">{cells[0]}</th>
              <td>{yuan(before)}</td>
              <td>{yuan(after)}</td>
              <td>
                <Bad when={after < before}>{yuan(after - before)}</Bad>
              </td>
              <td>{before === 0 ? '—' : `${percentOf(before, after)}%`}</td>
              {cells.slice(1).map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells never change their order
                <td key={i}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
const percentOf = (before: number, after: number): string =>
  (((after - before) * 100) / Math.abs(before)).toFixed(2)
