import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../../shared/contract.ts'
import { useRead } from '../../../../web/api.ts'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../../web/form/fields.tsx'
import { Empty, Problem, Skeleton } from '../../../../web/Problem.tsx'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { Time } from '../../../../web/Time.tsx'
import { Pager } from '../../../../web/ui/Pager.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Muted } from '../../../../web/ui/Text.tsx'
import { useFaultWord } from '../../../machines/web/pickers.tsx'
import { devices } from '../../contract.ts'

type Fault = Output<typeof devices.faults>['list'][number]

export function DeviceFaults({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation(['devices', 'web'])
  const word = useFaultWord()
  const [page, setPage] = useState(1)
  const [handled, setHandled] = useState<Fault | null>(null)
  const read = useRead(devices.faults, { id: deviceId, page }, { inline: true, keep: true })
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton rows={6} />
  if (read.data.total === 0) return <Empty title={t('faultTab.empty')} />
  const tone = (fault: Fault) =>
    fault.closedAt ? 'closed' : fault.level === 'ERROR' ? 'fault' : 'warn'
  return (
    <>
      <Lines columns="148px 1fr auto">
        {read.data.list.map((fault) => (
          <li key={fault.id}>
            <Time at={fault.openedAt} />
            <div>
              <Flex gap={12}>
                <StatusTag tone={tone(fault)}>{word(fault.faultCode)}</StatusTag>
                {fault.road === null ? null : t('faultTab.road', { n: fault.road })}
              </Flex>
              <Muted>
                {fault.detail} {fault.remark}
              </Muted>
              {fault.closedAt ? (
                <div>
                  <Muted small>
                    {fault.handledBy} <Time at={fault.closedAt} />
                  </Muted>
                </div>
              ) : null}
            </div>
            {fault.can.handle ? (
              <Button type="link" onClick={() => setHandled(fault)}>
                {t('faultTab.handle')}
              </Button>
            ) : null}
          </li>
        ))}
      </Lines>
      <Pager page={page} pageSize={20} total={read.data.total} onChange={setPage} />
      {handled ? (
        <FormDialog
          title={`${t('faultTab.dialog')} ${word(handled.faultCode)}`}
          ns="devices"
          save={devices.handleFault}
          initial={{ id: handled.id }}
          okText={t('faultTab.handle')}
          success="devices:success.handleFault"
          onClose={() => setHandled(null)}
          onSaved={() => void read.refetch()}
        >
          <TextAreaField name="remark" />
        </FormDialog>
      ) : null}
    </>
  )
}
