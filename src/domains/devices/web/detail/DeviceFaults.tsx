import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../../shared/contract.ts'
import { useRead } from '../../../../web/api.ts'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../../web/form/fields.tsx'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { useMay } from '../../../../web/session.ts'
import { Time } from '../../../../web/Time.tsx'
import { Pager } from '../../../../web/ui/Pager.tsx'
import { Lines, Part } from '../../../../web/ui/Sheet.tsx'
import { Muted } from '../../../../web/ui/Text.tsx'
import { useFaultWord } from '../../../machines/web/pickers.tsx'
import { devices } from '../../contract.ts'
import type { TabProps } from './DeviceDrawer.tsx'
import { DeviceAlerts } from './DeviceLists.tsx'

type Fault = Output<typeof devices.faults>['list'][number]
const tone = ({ closedAt, level }: Fault) =>
  closedAt ? 'closed' : level === 'ERROR' ? 'fault' : 'warn'

/** What is wrong with the machine by its own words, and what people were told of. */
export function DeviceTroubles({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  return (
    <>
      {may('fault:read') ? (
        <Part title={t('faultTab.faults')}>
          <Faults device={device} />
        </Part>
      ) : null}
      {may('alarm:read') ? <DeviceAlerts device={device} /> : null}
    </>
  )
}

function Faults({ device }: TabProps) {
  const { t } = useTranslation(['devices', 'web'])
  const word = useFaultWord()
  const [page, setPage] = useState(1)
  const [handled, setHandled] = useState<Fault | null>(null)
  const read = useRead(devices.faults, { id: device.id, page }, { inline: true, keep: true })
  if (!read.data) return <Unread read={read} rows={6} />
  if (read.data.total === 0) return <Empty title={t('faultTab.empty')} />
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
          success="web:success.done"
          onClose={() => setHandled(null)}
          onSaved={() => void read.refetch()}
        >
          <TextAreaField name="remark" />
        </FormDialog>
      ) : null}
    </>
  )
}
