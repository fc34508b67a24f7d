import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { fullTime } from '../../../web/time.ts'
import { Drawer } from '../../../web/ui/overlay.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { settings } from '../contract.ts'
import { type SettingKey, settingOfKey } from '../registry.ts'
import { useWords } from './useWords.ts'

/** Who changed one setting of this organisation, latest first; from the operation log. */
export function HistoryDrawer({
  settingKey,
  orgId,
  onClose,
}: {
  settingKey: SettingKey
  orgId: number
  onClose: () => void
}) {
  const { t } = useTranslation('settings')
  const words = useWords()
  const active = useActiveTab()
  const read = useRead(settings.history, { key: settingKey, orgId }, { inline: true })
  const { form } = settingOfKey(settingKey)
  if (!active) return null
  const told = (value: unknown, locked: boolean) =>
    `${words.valueOf(form, value)}${locked ? ` · ${t('locks')}` : ''}`
  return (
    <Drawer
      open
      title={t('historyOf', { name: words.nameOf(settingKey) })}
      size={Math.min(480, innerWidth)}
      onClose={onClose}
    >
      {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
      {read.isPending ? <Skeleton rows={6} /> : null}
      {read.data?.list.length === 0 ? <Empty title={t('noHistory')} /> : null}
      <Flex vertical gap={12}>
        {read.data?.list.map((entry) => (
          <div key={entry.at}>
            <div>
              <Muted small>
                {fullTime(new Date(entry.at))} · {entry.username || t('system')}
              </Muted>
            </div>
            <Muted>{told(entry.before, entry.lockedBefore)}</Muted> →{' '}
            <strong>{told(entry.after, entry.lockedAfter)}</strong>
          </div>
        ))}
      </Flex>
    </Drawer>
  )
}
