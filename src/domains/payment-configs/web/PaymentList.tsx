import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { queryClient, useWrite } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { useAct } from '../../../web/useAct.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { ConfigRow, paymentConfigs } from '../contract.ts'
import { canMove } from '../rules.ts'
import { CertUntil, percentOf, SecretTail } from './marks.tsx'

const ConfigFields = lazyDialog(() => import('./ConfigFields.tsx').then((m) => m.ConfigFields))
const ConfigDetail = lazyDialog(() => import('./ConfigDetail.tsx').then((m) => m.ConfigDetail))
const KeysDialog = lazyDialog(() => import('./KeysDialog.tsx').then((m) => m.KeysDialog))
const StoresDrawer = lazyDialog(() => import('./StoresDrawer.tsx').then((m) => m.StoresDrawer))
const TestResult = lazyDialog(() => import('./TestResult.tsx').then((m) => m.TestResult))
type Open = { what: 'keys' | 'stores' | 'result'; row: ConfigRow }

export function PaymentList() {
  const { t } = useTranslation('paymentConfigs')
  const col = useCols(ConfigRow, 'paymentConfigs')
  const may = useMay()
  const confirm = useConfirm()
  const { orgId } = useUser()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const navigate = useNavigate()
  const target = useTarget()
  const invoices = target('/finance/invoice-enterprise')
  const referrers = target('/finance/busManager')
  const test = useWrite(paymentConfigs.test, {
    success: 'web:success.done',
    onSuccess: (row) => setOpen({ what: 'result', row }),
  })
  // it sells nothing until its new keys are verified
  const tryOut = ({ id, version, can }: ConfigRow) => {
    if (can.test) test.mutate({ id, version })
  }
  const start = useAct(paymentConfigs.start, {})
  const stop = useWrite(paymentConfigs.stop, { success: 'web:success.done' })
  const remove = useAct(paymentConfigs.remove, {
    ask: t('removeAsk'),
    name: (row: ConfigRow) => row.merchantName,
    ok: t('remove'),
    success: 'paymentConfigs:success.remove',
  })
  /** With how many machines it stops. */
  const askStop = async ({ id, version, merchantName }: ConfigRow) => {
    const { n } = await queryClient.fetchQuery({
      queryKey: [paymentConfigs.uses.path, { id }],
      queryFn: () => call(paymentConfigs.uses, { id }),
      staleTime: 0,
    })
    const question = { title: t('stopAsk', { n }), content: merchantName, danger: true }
    if (await confirm({ ...question, ok: t('stop') })) stop.mutate({ id, version })
  }
  return (
    <>
      <ListPage
        ns="paymentConfigs"
        endpoint={paymentConfigs.list}
        live="payment-configs"
        records={{
          create: paymentConfigs.create,
          update: paymentConfigs.update,
          fields: ConfigFields,
          blank: { orgId },
          width: 760,
        }}
        detail={ConfigDetail}
        header={
          <>
            {referrers ? (
              <Button onClick={() => navigate(referrers)}>{t('referrers')}</Button>
            ) : null}
            {invoices ? <Button onClick={() => navigate(invoices)}>{t('invoices')}</Button> : null}
          </>
        }
        filters={[
          { key: 'orgId', picker: OwnerSelect },
          'merchantName',
          'systemId',
          'provider',
          'state',
        ]}
        columns={[
          col('merchantName', { fixed: 'start' }),
          col('operatorName'),
          col('systemId'),
          col('userName', { width: 96 }),
          col('desKey', {
            width: 104,
            render: (_, row) => <SecretTail secret={row.keys.desKey} />,
          }),
          col('saltMd5Key', {
            width: 104,
            render: (_, row) => <SecretTail secret={row.keys.saltMd5Key} />,
          }),
          col('provider', { width: 104 }),
          col('feeBp', { width: 96, render: percentOf, defaultHidden: true }),
          col('splitCapBp', { width: 96, render: percentOf, defaultHidden: true }),
          col('storeCount', { width: 84, defaultHidden: true }),
          col('deviceCount', { width: 104, defaultHidden: true }),
          col('certUntil', {
            width: 124,
            render: (until: string | null) => <CertUntil until={until} />,
          }),
          col('testTime', { defaultHidden: true }),
          col('state', { width: 96 }),
          col('mchId', { defaultHidden: true }),
          col('subMchId', { defaultHidden: true }),
          col('appId', { defaultHidden: true }),
          col('collectorKind', { defaultHidden: true }),
          col('freezeDays', { defaultHidden: true }),
          col('refundFeeReturned', { defaultHidden: true }),
          col('settleBank', { defaultHidden: true }),
          col('settleHolder', { defaultHidden: true }),
          // what settleAccount ends with
          col('settleTail', { defaultHidden: true }),
          col('capApproval', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'test',
            label: t('test'),
            can: row.can.test,
            onClick: () => test.mutate({ id: row.id, version: row.version }),
          },
          {
            key: 'keys',
            label: t('renew'),
            can: row.can.renew,
            onClick: () => setOpen({ what: 'keys', row }),
          },
          {
            key: 'stores',
            label: t('stores'),
            can: may('store:read'),
            onClick: () => setOpen({ what: 'stores', row }),
          },
          {
            key: 'stop',
            label: t('stop'),
            danger: true,
            can: row.can.update && canMove('stop', row.state),
            onClick: () => void askStop(row).catch(() => undefined),
          },
          {
            key: 'start',
            label: t('start'),
            can: row.can.update && canMove('start', row.state),
            onClick: () => void start(row),
          },
          {
            key: 'take',
            label: t('remove'),
            danger: true,
            can: row.can.delete,
            onClick: () => void remove(row),
          },
        ]}
        card={['operatorName', 'systemId', 'provider', 'deviceCount', 'certUntil']}
      />
      {open?.what === 'keys' ? (
        <KeysDialog row={open.row} onClose={close} onSaved={tryOut} />
      ) : null}
      {open?.what === 'stores' ? <StoresDrawer row={open.row} onClose={close} /> : null}
      {open?.what === 'result' ? <TestResult row={open.row} onClose={close} /> : null}
    </>
  )
}
