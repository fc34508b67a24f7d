import { Button, Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Empty } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { RowTable } from '../../../web/ui/RowTable.tsx'
import { Part } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { type Code, ofKind } from '../contract.ts'
import { type RolloutRow, type UpdateRow, updateTones } from '../rolloutContract.ts'

/** One roll-out: its stages, and its machines with how far each is. */
export function RolloutDrawer({ code, id, ...steps }: DetailProps & { code: Code }) {
  const api = ofKind[code]
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(api.rollout, { id: Number(id) }, { inline: true, enabled: known })
  useLive('releases', [api.rollout.path, api.rolloutDevices.path])
  const row = known ? read.data : undefined
  return (
    <Detail
      open={known}
      {...steps}
      title={row ? `${row.name} · ${row.versionName}` : ''}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {row ? <Body code={code} row={row} /> : null}
    </Detail>
  )
}

function Body({ code, row }: { code: Code; row: RolloutRow }) {
  const { t } = useTranslation('releases')
  return (
    <>
      <Rows
        items={[
          [t('fields.state'), t(`enums.state.${row.state}`)],
          [
            t('fields.reason'),
            [row.pause && t(`enums.pause.${row.pause}`), row.reason].filter(Boolean).join(' · '),
          ],
          [t('fields.target'), row.target],
          [t('fields.devices'), row.devices],
          [
            t('fields.quietFrom'),
            row.atOnce ? t('fields.atOnce') : `${row.quietFrom} – ${row.quietTo}`,
          ],
          [t('fields.creator'), row.author],
          [t('fields.approver'), row.approver],
          [t('fields.startTime'), row.startTime ? <Time key="start" at={row.startTime} /> : ''],
          [t('fields.finishTime'), row.finishTime ? <Time key="end" at={row.finishTime} /> : ''],
        ]}
      />
      <Part title={t('fields.stages')}>
        {row.stages.map((stage, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: stages have no other name
          <div key={i}>
            {t('stageOf', { n: i + 1, percent: stage.percent })}{' '}
            <Muted>{t('stageCounts', stage)}</Muted>
            <Progress
              size="small"
              status={stage.failed > 0 ? 'exception' : 'normal'}
              percent={Math.round((100 * stage.succeeded) / Math.max(1, stage.total - stage.left))}
            />
          </div>
        ))}
      </Part>
      <Part title={t('fields.devices')}>
        <Machines code={code} row={row} />
      </Part>
    </>
  )
}

function Machines({ code, row }: { code: Code; row: RolloutRow }) {
  const { t } = useTranslation(['releases', 'web'])
  const api = ofKind[code]
  const read = useRead(api.rolloutDevices, { id: row.id, pageSize: 200, sort: 'stage' })
  const cancel = useAct(api.cancelDevice, {
    ask: t('cancelDeviceAsk'),
    name: (one: UpdateRow) => `${one.rtuNumber} ${one.nickname}`,
    invalidates: [api.rolloutDevices.path],
  })
  return (
    <RowTable
      label={t('fields.devices')}
      rows={read.data?.list ?? []}
      keyOf={(one) => one.id}
      density="compact"
      busy={read.isFetching}
      empty={<Empty title={t('web:record.empty', { many: t('fields.devices') })} />}
      onSort={() => undefined}
      columns={[
        {
          key: 'rtuNumber',
          title: t('fields.deviceId'),
          width: 150,
          ellipsis: true,
          cell: (one) => `${one.rtuNumber} ${one.nickname}`,
        },
        {
          key: 'versions',
          title: t('fields.versionName'),
          width: 140,
          cell: (one) => `${one.fromVersion || '—'} → ${one.toVersion}`,
        },
        { key: 'stage', title: t('fields.stage'), width: 70, cell: (one) => one.stage + 1 },
        {
          key: 'state',
          title: t('fields.state'),
          width: 120,
          cell: (one) => (
            <StatusTag tone={updateTones[one.state]}>
              {t(`enums.state.${one.state}`)}
              {one.state === 'DOWNLOADING' ? ` ${one.progress}%` : ''}
            </StatusTag>
          ),
        },
        { key: 'tries', title: t('fields.tries'), width: 60, cell: (one) => one.tries },
        {
          key: 'error',
          title: t('fields.errorCode'),
          width: 150,
          ellipsis: true,
          cell: (one) =>
            one.errorCode
              ? [t(`enums.errorCode.${one.errorCode}`, { defaultValue: one.errorCode }), one.error]
                  .filter(Boolean)
                  .join(' · ')
              : '—',
        },
        {
          key: 'act',
          title: '',
          width: 80,
          cell: (one) =>
            one.can.cancel ? (
              <Button
                size="small"
                type="link"
                onClick={() => void cancel(one, { id: row.id, deviceId: one.deviceId })}
              >
                {t('cancelDevice')}
              </Button>
            ) : null,
        },
      ]}
    />
  )
}
