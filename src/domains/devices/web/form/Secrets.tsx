import { Alert, Button, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useMay } from '../../../web/session.ts'
import { useDirty } from '../../../web/shell/tabs.ts'
import { ActivationPanel } from '../../boards/web/pickers.tsx'
import styles from './devices.module.css'
import { LaneTemplate } from './LaneTemplate.tsx'

export type Secret = { id: number; rtuNumber: string; secret: string }

/** The only place that ever shows a machine's secret. */
export function Secrets({ created, onAgain }: { created: readonly Secret[]; onAgain: () => void }) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const may = useMay()
  useDirty(false) // the saved form left with its mark on the tab
  return (
    <section className={`hd-sheet ${styles.result}`} aria-label={t('result.title')}>
      <h1>{t('result.title')}</h1>
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
        <section className={styles.next}>
          <h2>{t('result.activation')}</h2>
          <ActivationPanel machines={created} />
        </section>
      ) : null}
      {may('lane:copy') ? <LaneTemplate targets={created.map((device) => device.id)} /> : null}
      <div className={styles.buttons}>
        <Button onClick={() => navigate('/device/device-list')}>{t('result.open')}</Button>
        <Button onClick={onAgain}>{t('result.again')}</Button>
        <CopyButton
          text={created.map((device) => `${device.rtuNumber}\t${device.secret}`).join('\n')}
          label={t('result.copyAll')}
        />
      </div>
    </section>
  )
}
