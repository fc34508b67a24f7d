import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Output } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { ReferrerRow, referrers } from '../contract.ts'

const QrDialog = lazyDialog(() => import('./QrDialog.tsx').then((m) => m.QrDialog))
const createPath = '/finance/busManager/create'

export function ReferrerList() {
  const { t } = useTranslation('referrers')
  const col = useCols(ReferrerRow, 'referrers')
  const may = useMay()
  const navigate = useNavigate()
  const [code, setCode] = useState<Output<typeof referrers.bindQrcode> | null>(null)
  const qrcode = useWrite(referrers.bindQrcode, { onSuccess: setCode })
  const name = (row: ReferrerRow) => row.referrerName
  const enable = useAct(referrers.setStatus, {})
  const disable = useAct(referrers.setStatus, { ask: t('disableAsk'), name, ok: t('disable') })
  return (
    <>
      <ListPage
        ns="referrers"
        endpoint={referrers.list}
        live="referrers"
        records={{ remove: referrers.remove }}
        header={
          may('referrer:create') ? (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate(createPath)}>
              {t('web:record.create', { one: t('one') })}
            </Button>
          ) : null
        }
        filters={[
          'referrerName',
          'mobile',
          'status',
          { key: 'linkedOrgId', picker: OwnerSelect },
          'range',
        ]}
        columns={[
          col('referrerName', { fixed: 'start' }),
          col('mobile', { ellipsis: false }),
          col('linkedOrgName', {
            fit: (name, { deviceCount }) => `${name} / ${deviceCount}`,
            render: (name: string, { deviceCount }) =>
              name ? (
                <>
                  {name}
                  <Muted> / {deviceCount}</Muted>
                </>
              ) : (
                <Muted>—</Muted>
              ),
          }),
          col('defaultBp', { render: (bp: number) => `${(bp / 100).toFixed(2)}%` }),
          col('receiveKind'),
          col('receiverState'),
          col('earned'),
          col('unpaid'),
          col('status'),
          col('createTime', { width: 108, render: (at: string) => shanghaiDay(new Date(at)) }),
          col('deviceCount', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('idName', { defaultHidden: true }),
          col('validUntil', { defaultHidden: true }),
          col('remark', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'edit',
            label: t('web:action.edit'),
            can: row.can.update,
            to: `${createPath}?id=${row.id}`,
          },
          {
            key: 'qrcode',
            label: t('qrcode'),
            can: row.can.update && row.receiveKind === 'PERSONAL' && row.status === 'ENABLED',
            onClick: () => qrcode.mutate({ id: row.id }),
          },
          {
            key: 'withdrawals',
            label: t('withdrawals'),
            can: may('withdrawal:read'),
            to: `/finance/billing-details/withdrawals?referrerId=${row.id}`,
          },
          {
            key: 'accounts',
            label: t('accounts'),
            can: may('payout-account:read'),
            to: `/finance/billing-details/payout-accounts?referrerId=${row.id}`,
          },
          row.status === 'ENABLED'
            ? {
                key: 'disable',
                label: t('disable'),
                danger: true,
                can: row.can.update,
                onClick: () => void disable(row, { status: 'DISABLED' }),
              }
            : {
                key: 'enable',
                label: t('enable'),
                can: row.can.update,
                onClick: () => void enable(row, { status: 'ENABLED' }),
              },
        ]}
        card={['mobile', 'linkedOrgName', 'defaultBp', 'receiverState', 'earned', 'unpaid']}
      />
      {code ? <QrDialog code={code} onClose={() => setCode(null)} /> : null}
    </>
  )
}
