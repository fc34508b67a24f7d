import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../../../shared/contract.ts'
import { useRead } from '../../../../web/api.ts'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { lanes } from '../../contract.ts'
import type { CopyPreview } from '../../copyContract.ts'
import { Changes } from './Changes.tsx'
import { MachineTable, roadsText, Skipped } from './MachineTable.tsx'

type Asked = CallInput<typeof lanes.copyPlan>

/** What would happen, machine by machine; one opened says it lane by lane. */
export function CopyPreviewTable({
  targets,
  asked,
}: {
  targets: readonly CopyPreview[]
  asked: Asked
}) {
  const { t } = useTranslation('lanes')
  return (
    <MachineTable
      rows={targets}
      more={(row) => (row.problem ? null : <Lanes row={row} asked={asked} />)}
      columns={[
        {
          key: 'result',
          title: t('copy.columns.result'),
          render: (_, row) =>
            row.problem ? (
              <StatusTag tone="locked">{t('copy.leaves', { why: row.problem })}</StatusTag>
            ) : (
              [
                row.creates ? t('copy.creates') : '',
                t('copy.writes', { n: row.write.length }),
                row.skipped.length ? t('copy.skip', { n: row.skipped.length }) : '',
              ]
                .filter(Boolean)
                .join(' · ')
            ),
        },
      ]}
    />
  )
}

/** Setting by setting, asked for when somebody looks. */
function Lanes({ row, asked }: { row: CopyPreview; asked: Asked }) {
  const { t } = useTranslation('lanes')
  const { write, same } = row
  const read = useRead(
    lanes.copyPlan,
    { ...asked, targetIds: [row.deviceId] },
    { enabled: write.length > 0 },
  )
  return (
    <>
      {write.length ? (
        <>
          <p>
            <b>{t('copy.writes', { n: write.length })}</b> {roadsText(write)}
          </p>
          <Changes changes={read.data?.targets[0]?.changes} columns={2} />
        </>
      ) : null}
      {same.length ? (
        <p>
          <b>{t('copy.same', { n: same.length })}</b> {roadsText(same)}
        </p>
      ) : null}
      <Skipped rows={row.skipped} />
    </>
  )
}
