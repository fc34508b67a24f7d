import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Rows } from '../../../web/Detail.tsx'
import { useDirty } from '../../../web/shell/tabs.ts'
import styles from './devices.module.css'

/** After another board was put in: its secret, this once. */
export function NewSecret({
  rtuNumber,
  secret,
  onDone,
}: {
  rtuNumber: string
  secret: string
  onDone: () => void
}) {
  const { t } = useTranslation('devices')
  useDirty(false)
  return (
    <section className={`hd-sheet ${styles.result}`} aria-label={t('result.newBoard')}>
      <h1>{t('result.newBoard')}</h1>
      <Alert type="warning" showIcon title={t('result.hint')} />
      <Rows
        items={[
          [t('result.number'), rtuNumber],
          [
            t('result.secret'),
            <span key="secret" className="hd-mono">
              {secret} <CopyButton text={secret} />
            </span>,
          ],
        ]}
      />
      <div className={styles.buttons}>
        <Button type="primary" onClick={onDone}>
          {t('result.open')}
        </Button>
      </div>
    </section>
  )
}
