import { Empty } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Chart } from '../../../web/charts.tsx'
import { Figure, FigureRow } from '../../../web/Figure.tsx'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Sheet } from '../../../web/ui/Sheet.tsx'
import { Bad } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { billing } from '../contract.ts'
import type { Funds } from '../fundsContract.ts'
import { billingPaths } from './pickers.ts'
import { Tabs } from './Tabs.tsx'

/** The money of one organisation: what stands where, and how it got there. */
export function Balance() {
  const { t } = useTranslation('billing')
  const [params, setParams] = useSearchParams()
  const orgId = Number(params.get('orgId')) || undefined
  const read = useRead(billing.accounts, orgId ? { orgId } : {}, { inline: true, keep: true })
  useLive('ledger', [billing.accounts.path])
  const choose = (id: unknown) => setParams(id ? { orgId: String(id) } : {}, { replace: true })
  return (
    <Tabs
      at="balance"
      tools={
        <OwnerSelect
          value={orgId}
          onChange={choose}
          placeholder={read.data?.orgName ?? t('organisation')}
        />
      }
    >
      {read.data ? <Body funds={read.data} /> : <Unread read={read} rows={6} />}
    </Tabs>
  )
}

function Body({ funds }: { funds: Funds }) {
  const { t } = useTranslation('billing')
  const may = useMay()
  const phone = usePhone()
  const { accounts, merchants, days } = funds
  const entries = (account: string) =>
    may('ledger:read')
      ? `${billingPaths.ledger}?account=${account}&orgId=${funds.orgId}`
      : undefined
  if (accounts.length === 0) return <Empty description={t('funds.none')} />
  return (
    <>
      <FigureRow>
        <Figure label={t('funds.available')} value={<Money fen={funds.available} />} />
        {accounts
          .filter(({ account }) => account !== '1001')
          .map(({ account, balance }) => (
            <Figure
              key={account}
              label={t(`enums.account.${account}`)}
              value={
                <Bad when={balance < 0}>
                  <Money fen={balance} />
                </Bad>
              }
              note={<Entries to={entries(account)} />}
            />
          ))}
      </FigureRow>
      {merchants.map(({ configId, name, balance, expectedToday }) => (
        <FigureRow key={configId ?? 0}>
          <Figure
            label={`${t('funds.channel')} · ${name ?? t(configId ? 'funds.merchant' : 'enums.provider.SIMULATOR')}`}
            value={<Money fen={balance} />}
            note={<Entries to={entries('1001')} />}
          />
          <Figure label={t('funds.expected')} value={<Money fen={expectedToday} />} />
        </FigureRow>
      ))}
      <Sheet title={t('funds.days')}>
        <Chart
          label={t('funds.chart', { from: days[0]?.day ?? '', to: days.at(-1)?.day ?? '' })}
          categories={days.map(({ day }) => day.slice(5))}
          series={(['payable', 'pending'] as const).map((key) => ({
            name: t(`enums.account.${key === 'payable' ? '2002' : '2001'}`),
            kind: 'line' as const,
            values: days.map((day) => day[key] / 100),
            format: (value: number) => yuan(Math.round(value * 100)),
          }))}
          height={phone ? 180 : 240}
        />
      </Sheet>
    </>
  )
}

const Entries = ({ to }: { to: string | undefined }) => {
  const { t } = useTranslation('billing')
  return to ? <Link to={to}>{t('funds.entries')}</Link> : null
}
