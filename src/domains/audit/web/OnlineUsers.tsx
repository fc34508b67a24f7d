import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { audit, OnlineRow } from '../contract.ts'

type Ending = { ids: string[]; names: string }

/** Who is signed in now, and the way to end that. */
export function OnlineUsers() {
  const { t } = useTranslation('audit')
  const col = useCols(OnlineRow, 'audit')
  const may = useMay()
  const kick = useAct(audit.kick, {
    ask: ({ ids }: Ending) => t('kickAsk', { n: ids.length, count: ids.length }),
    name: ({ names }) => `${names} · ${t('kickHint')}`,
    ok: t('kick'),
  })
  const end = async (rows: readonly OnlineRow[], done?: () => void) => {
    const ending = rows.filter((row) => row.can.kick)
    const names = [...new Set(ending.map((row) => row.username))].join(', ')
    if (ending.length > 0) await kick({ ids: ending.map((row) => row.id), names }, {}, done)
  }
  return (
    <ListPage
      ns="audit"
      endpoint={audit.online}
      live="online-users"
      filters={[{ key: 'keyword', label: t('onlineSearch') }, 'ip']}
      columns={[
        col('username', {
          fit: (name) => `${name} ${t('current')}`,
          render: (name: string, row) => (
            <>
              {name} {row.current ? <Muted>{t('current')}</Muted> : null}
            </>
          ),
        }),
        col('realName'),
        col('orgName'),
        col('roleName'),
        col('ip', { ellipsis: false }),
        col('device'),
        col('signedInAt'),
        col('lastSeenAt', { render: (at: string) => <Time at={at} style="age" /> }),
      ]}
      actions={(row) => [
        {
          key: 'kick',
          label: t('kick'),
          danger: true,
          can: row.can.kick,
          onClick: () => void end([row]),
        },
      ]}
      batch={[
        {
          key: 'kick',
          label: t('kick'),
          danger: true,
          can: may('user:update'),
          onClick: ({ rows, clear }) => void end(rows, clear),
        },
      ]}
      empty={{ title: t('onlineEmpty') }}
      card={['realName', 'orgName', 'ip', 'device', 'lastSeenAt']}
    />
  )
}
