import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { inWords } from '../../../web/inWords.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { useMay } from '../../../web/session.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { OneOrganisation } from '../../accounts/web/pickers.tsx'
import { useBillingViews } from '../../billing/web/pickers.ts'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import { WithdrawalRow, withdrawals } from '../contract.ts'
import { FundsNotice } from './FundsNotice.tsx'

const AskDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.AskDialog))
const RejectDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.RejectDialog))
const OfflineDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.OfflineDialog))
const ConfirmDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.ConfirmDialog))
const PayeeDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.PayeeDialog))

type Doing =
  | { what: 'ask' }
  | { what: 'reject' | 'offline' | 'payee' | 'confirm'; row: WithdrawalRow }

/** Money that leaves: a tab of the page of money. */
export function WithdrawalList() {
  const { t } = useTranslation('withdrawals')
  const col = useCols(WithdrawalRow, 'withdrawals')
  const title = useTranslation('billing').t('title')
  const may = useMay()
  const navigate = useNavigate()
  const whose = Number(useSearchParams()[0].get('referrerId')) || null
  // whose list it is
  const of = whose === null ? {} : { referrerId: whose }
  const { data: funds } = useRead(withdrawals.funds, of, { inline: true })
  useLive('withdrawals', [withdrawals.funds.path])
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const name = ({ withdrawalNo, orgName, referrerName, amount }: WithdrawalRow) =>
    [withdrawalNo, orgName, referrerName, yuan(amount)].filter(Boolean).join(' · ')
  const cancel = useAct(withdrawals.cancel, { ask: t('cancelAsk'), name })
  const approve = useAct(withdrawals.approve, {
    ask: (row: WithdrawalRow) =>
      row.secondNeeded && !row.approver
        ? t('approveFirst')
        : t(row.method === 'BANK' ? 'approveBank' : 'approveAsk'),
    name,
    ok: t('approve'),
    danger: false,
  })
  const retry = useAct(withdrawals.retry, {
    ask: (row: WithdrawalRow) => t(row.state === 'FAILED' ? 'retryAsk' : 'queryAsk'),
    name,
  })
  const payee = ({ bankName, method, accountNo }: WithdrawalRow) =>
    `${bankName || t(`enums.method.${method}`)} ${accountNo}`
  /** What a person wrote, or what a channel says. */
  const why = ({ reason }: WithdrawalRow) => inWords(t, reason)
  const ask = may('withdrawal:create') ? (
    <Button type="primary" onClick={() => setDoing({ what: 'ask' })}>
      {t('ask')}
    </Button>
  ) : null
  return (
    <>
      <ListPage
        ns="withdrawals"
        endpoint={withdrawals.list}
        live="withdrawals"
        title={title}
        views={useBillingViews('withdrawals')}
        header={
          <>
            {may('payout-account:read') ? (
              <Button onClick={() => navigate('/finance/billing-details/payout-accounts')}>
                {t('accounts')}
              </Button>
            ) : null}
            {ask}
          </>
        }
        notice={funds ? <FundsNotice funds={funds} /> : null}
        filters={[
          { key: 'withdrawalNo', width: 200 },
          'state',
          'method',
          { key: 'orgId', picker: OneOrganisation },
          ...(may('referrer:read')
            ? [{ key: 'referrerId' as const, picker: ReferrerSelect, more: true }]
            : []),
          { key: 'range', more: true },
          { key: 'minAmount', more: true },
          { key: 'maxAmount', more: true },
        ]}
        columns={[
          col('withdrawalNo', {
            fixed: 'start',
            width: 108,
            render: (number: string) => <ShortNumber number={number} />,
          }),
          col('orgName', {
            fit: (_, { orgName, referrerName }) => `${orgName} ${referrerName}`,
            render: (orgName: string, { referrerName }) => (
              <Cut title={[orgName, referrerName].filter(Boolean).join(' ')}>
                {orgName} <Muted>{referrerName}</Muted>
              </Cut>
            ),
            // a card names the referrer by itself, and has no width to cut at
            card: { as: 'line', draw: ({ orgName }) => orgName },
          }),
          col('referrerName', { defaultHidden: true }),
          col('amount'),
          col('fee', { defaultHidden: true }),
          col('received'),
          col('method', { tones: {}, defaultHidden: true }),
          col('accountNo', { fit: (_, row) => payee(row), render: (_, row) => payee(row) }),
          col('holder', { defaultHidden: true }),
          col('state'),
          col('requester', { defaultHidden: true }),
          col('requestTime'),
          col('approver', { defaultHidden: true }),
          col('approveTime', { defaultHidden: true }),
          col('secondApprover', { defaultHidden: true }),
          col('payTime', { defaultHidden: true }),
          col('payer', { defaultHidden: true }),
          col('reason', { fit: (_, row) => why(row), render: (_, row) => why(row) }),
          col('remark', { defaultHidden: true }),
          col('confirmUntil', { defaultHidden: true }),
          col('transferNo', { defaultHidden: true }),
          col('voucher', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'approve',
            label: t('approve'),
            can: row.can.approve,
            onClick: () => void approve(row),
          },
          {
            key: 'reject',
            label: t('reject'),
            can: row.can.reject,
            danger: true,
            onClick: () => setDoing({ what: 'reject', row }),
          },
          {
            key: 'offline',
            label: t('offlineShort'),
            can: row.can.payByHand,
            onClick: () => setDoing({ what: 'offline', row }),
          },
          {
            key: 'payee',
            label: t('payeeShort'),
            can: row.can.payee,
            onClick: () => setDoing({ what: 'payee', row }),
          },
          {
            key: 'confirm',
            label: t('confirmShort'),
            can: row.can.confirm,
            onClick: () => setDoing({ what: 'confirm', row }),
          },
          {
            key: 'retry',
            label: t(row.state === 'FAILED' ? 'retry' : 'queryAgain'),
            can: row.can.retry,
            onClick: () => void retry(row),
          },
          {
            key: 'cancel',
            label: t('cancel'),
            can: row.can.cancel,
            onClick: () => void cancel(row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: ask }}
        card={['orgName', 'referrerName', 'amount', 'accountNo', 'requestTime', 'reason']}
      />
      {doing?.what === 'ask' ? <AskDialog referrerId={whose} onClose={close} /> : null}
      {doing?.what === 'reject' ? <RejectDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'offline' ? <OfflineDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'confirm' ? <ConfirmDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'payee' ? <PayeeDialog row={doing.row} onClose={close} /> : null}
    </>
  )
}
