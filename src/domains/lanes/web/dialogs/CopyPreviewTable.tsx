import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../../../shared/contract.ts'
import { useRead } from '../../../../web/api.ts'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { lanes } from '../../contract.ts'
import type { CopyPreview } from '../../copyContract.ts'
import { twoDigits } from '../shown.ts'
import { changeText } from './changeText.ts'
import styles from './dialogs.module.css'
import { machineColumns } from './machineColumns.ts'
import { Skipped } from './Skipped.tsx'

const roads = (list: readonly number[]) => list.map(twoDigits).join(' ')

type Asked = Omit<CallInput<typeof lanes.copyPlan>, 'targetIds'>

/** What would happen, machine by machine; one opened says it lane by lane. */
export function CopyPreviewTable({
  targets,
  asked,
}: {
  targets: readonly CopyPreview[]
  asked: Asked
}) {
  const { t } = useTranslation('lanes')
  const phone = usePhone()
  return (
    <Table<CopyPreview>
      rowKey="deviceId"
      size="small"
      dataSource={[...targets]}
      scroll={phone ? { y: 380 } : { y: 380, x: 560 }}
      pagination={targets.length > 50 ? { pageSize: 50, showSizeChanger: false } : false}
      expandable={{
        rowExpandable: (row) => row.problem === '',
        expandedRowRender: (row) => (
          <>
            {row.write.length ? <Differences row={row} asked={asked} /> : null}
            {row.same.length ? (
              <p>
                <b>{t('copy.same', { n: row.same.length })}</b> {roads(row.same)}
              </p>
            ) : null}
            <Skipped rows={row.skipped} />
          </>
        ),
      }}
      columns={[
        ...machineColumns(t, phone),
        {
          key: 'result',
          title: t('copy.columns.result'),
          ...(phone ? {} : { width: 220 }),
          render: (_, row) =>
            row.problem ? (
              <StatusTag tone="locked">{t('copy.leaves', { why: row.problem })}</StatusTag>
            ) : (
              <span>
                {row.creates ? `${t('copy.creates')} · ` : ''}
                {t('copy.writes', { n: row.write.length })}
                {row.skipped.length ? ` · ${t('copy.skip', { n: row.skipped.length })}` : ''}
              </span>
            ),
        },
      ]}
    />
  )
}

/** Setting by setting, asked for when somebody looks. */
function Differences({ row, asked }: { row: CopyPreview; asked: Asked }) {
  const { t } = useTranslation('lanes')
  const read = useRead(lanes.copyPlan, { ...asked, targetIds: [row.deviceId] })
  return (
    <>
      <p>
        <b>{t('copy.writes', { n: row.write.length })}</b> {roads(row.write)}
      </p>
      <ul className={styles.differences}>
        {read.data?.targets[0]?.changes.map((change) => (
          <li key={`${change.road}/${change.field}`}>{changeText(t, change)}</li>
        ))}
      </ul>
    </>
  )
}
