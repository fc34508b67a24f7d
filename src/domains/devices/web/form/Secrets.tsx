import { Alert, Button, Flex, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyButton } from '../../../../web/CopyButton.tsx'
import { useMay } from '../../../../web/session.ts'
import { useDirty } from '../../../../web/shell/tabs.ts'
import { PageHead, Part, Sheet } from '../../../../web/ui/Sheet.tsx'
import { ActivationPanel } from '../../../boards/web/pickers.tsx'
import { LaneTemplate } from './LaneTemplate.tsx'

export type Secret = { id: number; rtuNumber: string; secret: string }

/** The only place that ever shows a machine's secret. */
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
              render: (secret: string) => (
                <span className="hd-mono">
                  {secret} <CopyButton text={secret} />
                </span>
              ),
            },
          ]}
        />
        {may('main-board:bind') ? (
          <Part title={t('result.activation')}>
            <ActivationPanel machines={created} />
          </Part>
        ) : null}
        {may('lane:copy') ? <LaneTemplate targets={created.map((device) => device.id)} /> : null}
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
