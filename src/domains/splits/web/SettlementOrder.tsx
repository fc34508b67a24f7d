import { Flex, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Figures, Sheet } from '../../../web/ui/Sheet.tsx'
import { Bad, Chip, Lead, Muted } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { partyOf } from '../../ledger/rules.ts'
import { splits, splitTones } from '../contract.ts'
import { failReasons } from '../rules.ts'
import type { Settlement } from '../settlementContract.ts'
import styles from './settlement.module.css'

type Split = Settlement['splits'][number]
const orderNumbers = /^\d{20}$/

/** The way of one order's money, from its payment to its parties. */
export function SettlementOrder() {
  const { t } = useTranslation('splits')
  const [params, setParams] = useSearchParams()
  const orderNum = (params.get('orderNum') ?? '').replace(/\s/g, '')
  const known = orderNumbers.test(orderNum)
  const read = useRead(splits.settlement, { orderNum }, { inline: true, enabled: known })
  useLive('splits', [splits.settlement.path])
  return (
    <>
      <Sheet label={t('settlement.views.order')}>
        <Input.Search
          key={orderNum}
          defaultValue={orderNum}
          allowClear
          maxLength={30}
          status={orderNum && !known ? 'error' : ''}
          placeholder={t('settlement.find')}
          aria-label={t('settlement.find')}
          style={{ maxWidth: 360 }}
          onSearch={(text) => setParams({ orderNum: text.replace(/\s/g, '') }, { replace: true })}
        />
        {orderNum && !known ? <Bad>{t('settlement.badNumber')}</Bad> : null}
      </Sheet>
      {!known ? (
        <Sheet>
          <Empty title={t('settlement.ask')} />
        </Sheet>
      ) : read.data ? (
        <Way settlement={read.data} />
      ) : (
        <Sheet>
          {read.error ? (
            <Problem
              error={read.error}
              title={t('settlement.missing')}
              onRetry={() => void read.refetch()}
            />
          ) : (
            <Skeleton rows={6} />
          )}
        </Sheet>
      )}
    </>
  )
}

function Way({ settlement }: { settlement: Settlement }) {
  const { t } = useTranslation('splits')
  const target = useTarget()
  const { orderNum, rtuNumber, orgName, paid, refunded } = settlement
  const order = target(`/order/order-details/${orderNum}`)
  return (
    <>
      <Sheet label={orderNum}>
        <Figures
          items={[
            [
              t('fields.orderNum'),
              order ? (
                <Link key="order" to={order}>
                  {orderNum}
                </Link>
              ) : (
                orderNum
              ),
            ],
            [t('fields.rtuNumber'), rtuNumber],
            [t('fields.orgName'), orgName],
            [t('fields.paid'), <Money key="paid" fen={paid} />],
            [t('settlement.refunded'), <Money key="refunded" fen={refunded} />],
          ]}
        />
      </Sheet>
      {settlement.splits.length === 0 ? (
        <Sheet>
          <Empty title={t('settlement.unsplit')} hint={t('settlement.unsplitHint')} />
        </Sheet>
      ) : (
        settlement.splits.map((split) => <SplitWay key={split.id} split={split} />)
      )}
    </>
  )
}

function SplitWay({ split }: { split: Split }) {
  const { t } = useTranslation('splits')
  const { steps, standing, shares, state } = split
  return (
    <Sheet
      title={split.splitNo}
      note={`${split.strategyName} v${split.versionNo} · ${t(`enums.mode.${split.mode}`)}`}
      end={
        <StatusTag chip tone={splitTones[state]}>
          {t(`enums.state.${state}`)}
        </StatusTag>
      }
    >
      {standing ? (
        <Lead>
          <Chip tone={failReasons.some((why) => why === standing) ? 'fault' : 'warn'}>
            {t('settlement.stands')}
          </Chip>{' '}
          {t(`settlement.standing.${standing}`)}
        </Lead>
      ) : null}
      <ol className={styles.steps}>
        {steps.map(({ key, at, expected, amount }, index) => {
          const before = steps.slice(0, index).findLast((step) => step.at !== null)
          const next = steps[index + 1]
          return (
            <li key={key} data-done={at !== null} data-line={at !== null && Boolean(next?.at)}>
              <b>{t(`settlement.steps.${key}`)}</b>
              {at ? <Time at={at} style="full" /> : null}
              {at === null && expected ? (
                <Muted>
                  {t('settlement.expected')} <Time at={expected} />
                </Muted>
              ) : null}
              {at === null && !expected ? <Muted>—</Muted> : null}
              {amount === null ? null : <Money fen={amount} />}
              {at && before?.at && before.at < at ? (
                <small>{t('settlement.after', { time: lasted(before.at, at, t) })}</small>
              ) : null}
            </li>
          )
        })}
      </ol>
      <Shares shares={shares} />
    </Sheet>
  )
}

/** How long from one station to the next: two units at most. */
function lasted(from: string, to: string, t: (key: string, of: { n: number }) => string): string {
  let left = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000))
  const parts: string[] = []
  for (const [unit, seconds] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const) {
    const n = Math.floor(left / seconds)
    left -= n * seconds
    if (n > 0 && parts.length < 2) parts.push(t(`settlement.units.${unit}`, { n }))
  }
  return parts.join(' ') || t('settlement.units.second', { n: 0 })
}

function Shares({ shares }: { shares: Split['shares'] }) {
  const { t } = useTranslation('splits')
  if (shares.length === 0) return <Lead>{t('settlement.noShares')}</Lead>
  return (
    <div className={styles.table}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('fields.partyName')}</th>
            {(['given', 'returned', 'netted', 'debt'] as const).map((key) => (
              <th key={key} scope="col">
                {t(`settlement.share.${key}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shares.map((share) => (
            <tr key={partyOf(share)}>
              <th scope="row">
                <Flex gap={6} align="center" component="span">
                  {share.name}
                  {share.isCollector ? <Chip>{t('collects')}</Chip> : null}
                </Flex>
              </th>
              <td>
                <Money fen={share.given} />
              </td>
              <td>
                <Money fen={share.returned} />
              </td>
              <td>
                <Money fen={share.netted} />
              </td>
              <td>
                <Bad when={share.debt > 0}>
                  <Money fen={share.debt} />
                </Bad>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
