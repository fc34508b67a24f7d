import { Button, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Time } from '../../../web/Time.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { session } from '../contract.ts'

const wide = { gridColumn: '1 / -1', marginBottom: 16 } as const

/** Where I am signed in. */
export function Devices() {
  const { t } = useTranslation('session')
  const { data } = useRead(session.sessions, {})
  const asked = { ok: t('me.end'), invalidates: [session.sessions.path] }
  const end = useAct(session.endSession, { ...asked, ask: t('me.endAsk') })
  const others = useAct(session.endOthers, { ...asked, ask: t('me.endOthersAsk') })
  return (
    <div style={wide}>
      <Table
        size="small"
        rowKey="id"
        showHeader={false}
        aria-label={t('me.devices')}
        dataSource={data?.sessions ?? []}
        pagination={false}
        columns={[
          { key: 'device', render: (_, row) => row.device || t('me.unknownDevice') },
          { key: 'ip', dataIndex: 'ip' },
          {
            key: 'seen',
            render: (_, row) => (
              <Muted>
                {t('me.seen')} <Time at={row.lastSeenAt} />
              </Muted>
            ),
          },
          {
            key: 'end',
            align: 'right',
            render: (_, row) =>
              row.current ? (
                <Muted>{t('me.current')}</Muted>
              ) : (
                <Button type="link" size="small" danger onClick={() => void end(row)}>
                  {t('me.end')}
                </Button>
              ),
          },
        ]}
      />
      {data && data.sessions.length > 1 ? (
        <Button danger style={{ marginTop: 12 }} onClick={() => void others({})}>
          {t('me.endOthers')}
        </Button>
      ) : null}
    </div>
  )
}

/** My last sign-ins. */
export function RecentSignIns() {
  const { t } = useTranslation('session')
  const { data } = useRead(session.sessions, {})
  return (
    <div style={wide}>
      <Table
        size="small"
        rowKey="at"
        showHeader={false}
        aria-label={t('me.recent')}
        dataSource={data?.recent ?? []}
        pagination={false}
        columns={[
          { key: 'device', render: (_, row) => row.device || t('me.unknownDevice') },
          { key: 'ip', dataIndex: 'ip' },
          {
            key: 'at',
            align: 'right',
            render: (_, row) => <Time at={row.at} style="full" />,
          },
        ]}
      />
    </div>
  )
}
