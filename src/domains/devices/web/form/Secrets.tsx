import { Alert, Button, Flex, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../../../web/api.ts'
import { CopyButton } from '../../../../web/CopyButton.tsx'
import { Rows } from '../../../../web/Detail.tsx'
import { useMay } from '../../../../web/session.ts'
import { useDirty } from '../../../../web/shell/tabs.ts'
import { PageHead, Part, Sheet } from '../../../../web/ui/Sheet.tsx'
import { Lead } from '../../../../web/ui/Text.tsx'
import { ActivationPanel } from '../../../boards/web/pickers.tsx'
import { lanes } from '../../../lanes/contract.ts'
import { DeviceSelect } from '../../../machines/web/pickers.tsx'

/** The only places that ever show a machine's secret. */
export type Secret = { id: number; rtuNumber: string; secret: string }

const Once = ({ secret }: { secret: string }) => (
  <span className="hd-mono">
    {secret} <CopyButton text={secret} />
  </span>
)

/** The machines that were just made. */
export function Secrets({ created, onAgain }: { created: readonly Secret[]; onAgain: () => void }) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const may = useMay()
  useDirty(false) // the saved form left with its mark on the tab
  return (
    <Sheet label={t('result.title')}>
      <PageHead title={t('result.title')} />
      <Flex vertical gap={16}>
        <Alert type="warning" showIcon title={t('result.hint')} />
        <Table
          rowKey="id"
          size="middle"
          pagination={false}
          dataSource={[...created]}
          scroll={{ x: 640 }}
          columns={[
            { key: 'rtuNumber', dataIndex: 'rtuNumber', title: t('result.number'), width: 180 },
            {
              key: 'secret',
              dataIndex: 'secret',
              title: t('result.secret'),
              render: (secret: string) => <Once secret={secret} />,
            },
          ]}
        />
        {may('main-board:bind') ? (
          <Part title={t('result.activation')}>
            <ActivationPanel machines={created} />
          </Part>
        ) : null}
        {may('lane:copy') ? <LaneTemplate targetIds={created.map(({ id }) => id)} /> : null}
        <Flex gap={8}>
          <Button onClick={() => navigate('/device/device-list')}>{t('result.open')}</Button>
          <Button onClick={onAgain}>{t('result.again')}</Button>
          <CopyButton
            text={created.map((device) => `${device.rtuNumber}\t${device.secret}`).join('\n')}
            label={t('result.copyAll')}
          />
        </Flex>
      </Flex>
    </Sheet>
  )
}

const parts = ['product', 'price', 'capacity', 'warnQty', 'restriction'] as const
/**
 * New machines take the lanes of one that stands already; a machine with another drawing refuses
 * its own copy only.
 */
function LaneTemplate({ targetIds }: { targetIds: number[] }) {
  const { t } = useTranslation('devices')
  const [deviceId, setDeviceId] = useState<number>()
  const copy = useWrite(lanes.copy, { success: 'devices:result.templateDone' })
  return (
    <Part title={t('result.template')}>
      <Lead>{t('result.templatePurpose')}</Lead>
      <Flex gap={8} style={{ maxWidth: 560 }}>
        <DeviceSelect
          value={deviceId}
          onChange={setDeviceId}
          typeOf={targetIds[0]}
          placeholder={t('result.templateFrom')}
        />
        <Button
          disabled={deviceId === undefined || copy.isSuccess}
          loading={copy.isPending}
          onClick={() =>
            deviceId !== undefined &&
            copy.mutate({ deviceId, targetIds, parts: [...parts], layout: 'CREATE' })
          }
        >
          {t('result.templateRun')}
        </Button>
      </Flex>
    </Part>
  )
}

type NewProps = { rtuNumber: string; secret: string; onDone: () => void }
/** A machine has another board. */
export function NewSecret({ rtuNumber, secret, onDone }: NewProps) {
  const { t } = useTranslation('devices')
  useDirty(false)
  return (
    <Sheet label={t('result.newBoard')}>
      <PageHead title={t('result.newBoard')} />
      <Alert type="warning" showIcon title={t('result.hint')} />
      <Rows
        items={[
          [t('result.number'), rtuNumber],
          [t('result.secret'), <Once key="secret" secret={secret} />],
        ]}
      />
      <Button type="primary" onClick={onDone}>
        {t('result.open')}
      </Button>
    </Sheet>
  )
}
