import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Lines, PageHead, Sheet } from '../../../web/ui/Sheet.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { useScreen } from '../../../web/useScreen.ts'
import { alerts, levelTones, type RuleRow } from '../contract.ts'
import { Channels } from './Channels.tsx'
import { ruleColumns } from './tones.ts'

const RuleDialog = lazyDialog(() => import('./RuleDialog.tsx').then((m) => m.RuleDialog))

/** What opens an alert in the own organisation, and where it is told. */
export function AlertRules() {
  const { t } = useTranslation('alerts')
  const { title } = useScreen()
  const may = useMay()
  const rules = useRead(alerts.rules, {}, { inline: true })
  const channels = useRead(alerts.channels, {}, { inline: true })
  useLive('alert-rules', [alerts.rules.path])
  useLive('alert-channels', [alerts.channels.path])
  const [edited, setEdited] = useState<RuleRow | null>(null)
  const list = channels.data?.list ?? []
  const names = new Map(
    list.map(({ id, type, name }) => [id, type === 'IN_APP' ? t('enums.type.IN_APP') : name]),
  )
  const waits = (rule: RuleRow) => {
    const n = rule.threshold ?? rule.usual
    return rule.unit === null || n === null ? t('rule.atOnce') : t(`rule.${rule.unit}`, { n })
  }
  const told = ({ channelIds }: RuleRow) =>
    channelIds === null
      ? t('rule.all')
      : channelIds.flatMap((id) => names.get(id) ?? []).join(', ') || '—'
  const failed = rules.error ?? channels.error
  return (
    <Flex vertical gap={12}>
      <PageHead title={title}>
        {may('alarm:read') ? <Link to="/device/alerts">{t('title')}</Link> : null}
        {may('device:read') ? <Link to="/device/device-list">{t('toDevices')}</Link> : null}
      </PageHead>
      {failed ? (
        <Problem
          error={failed}
          onRetry={() => void Promise.all([rules.refetch(), channels.refetch()])}
        />
      ) : null}
      <Sheet label={title}>
        <Lead>{t('rule.hint')}</Lead>
        {rules.isPending ? <Skeleton rows={9} /> : null}
        <Lines columns={ruleColumns}>
          {(rules.data?.list ?? []).map((rule) => (
            <li key={rule.kind}>
              <Flex vertical>
                <StatusTag tone={rule.enabled ? levelTones[rule.level] : 'closed'}>
                  <strong>{t(`enums.kind.${rule.kind}`)}</strong>
                </StatusTag>
                <Muted small>{t(`rule.help.${rule.kind}`)}</Muted>
              </Flex>
              <span>
                {rule.enabled ? waits(rule) : <StatusTag tone="locked">{t('rule.off')}</StatusTag>}
              </span>
              <span>{rule.enabled ? told(rule) : null}</span>
              {may('alarm-rule:update') ? (
                <Flex justify="end">
                  <Button type="link" onClick={() => setEdited(rule)}>
                    {t('rule.edit')}
                  </Button>
                </Flex>
              ) : null}
            </li>
          ))}
        </Lines>
      </Sheet>
      {channels.data ? <Channels list={list} /> : null}
      {edited ? <RuleDialog rule={edited} channels={list} onClose={() => setEdited(null)} /> : null}
    </Flex>
  )
}
