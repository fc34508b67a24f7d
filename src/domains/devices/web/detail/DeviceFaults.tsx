import { Button, Pagination, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { devices } from '../contract.ts'
import styles from './devices.module.css'

type Fault = Output<typeof devices.faults>['list'][number]

export function DeviceFaults({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation(['devices', 'web'])
  const [page, setPage] = useState(1)
  const [handled, setHandled] = useState<Fault | null>(null)
  const read = useRead(devices.faults, { id: deviceId, page }, { inline: true, keep: true })
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton active />
  if (read.data.total === 0) return <Empty title={t('faultTab.empty')} />
  const word = (code: string) => t(`enums.faultCode.${code}`, { defaultValue: code })
  return (
    <>
      <div className={styles.events}>
        {read.data.list.map((fault) => (
          <article key={fault.id}>
            <Time at={fault.openedAt} />
            <div>
              <div className={styles.side}>
                <StatusTag
                  tone={fault.closedAt ? 'closed' : fault.level === 'ERROR' ? 'fault' : 'warn'}
                >
                  {word(fault.faultCode)}
                </StatusTag>
                {fault.road === null ? null : <span>{t('faultTab.road', { n: fault.road })}</span>}
                {fault.can.handle ? (
                  <Button type="link" size="small" onClick={() => setHandled(fault)}>
                    {t('faultTab.handle')}
                  </Button>
                ) : null}
              </div>
              <span className={styles.payload}>
                {fault.detail} {fault.remark}
              </span>
              {fault.closedAt ? (
                <div>
                  <small>
                    {fault.handledBy} <Time at={fault.closedAt} />
                  </small>
                </div>
              ) : null}
            </div>
          </article>
        ))}
      </div>
      <div className={styles.pager}>
        <Pagination
          size="small"
          hideOnSinglePage
          current={page}
          pageSize={20}
          total={read.data.total}
          showSizeChanger={false}
          onChange={setPage}
        />
      </div>
      {handled ? (
        <FormDialog
          title={`${t('faultTab.dialog')} ${word(handled.faultCode)}`}
          ns="devices"
          save={devices.handleFault}
          initial={{ id: handled.id }}
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
