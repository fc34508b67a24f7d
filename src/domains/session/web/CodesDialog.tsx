import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { save } from '../../../web/download.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import styles from './Me.module.css'

/** Recovery codes, this once. */
export function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation(['session', 'web'])
  const text = codes.join('\n')
  return (
    <Modal
      open
      width={480}
      title={t('factor.codes')}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <>
          <CopyButton text={text} label={t('web:action.copy')} />
          <Button
            onClick={() =>
              save(new Blob([`${text}\n`], { type: 'text/plain' }), 'huodao-recovery-codes.txt')
            }
          >
            {t('factor.download')}
          </Button>
          <Button type="primary" onClick={onClose}>
            {t('factor.kept')}
          </Button>
        </>
      }
    >
      <p>{t('factor.codesLead')}</p>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
    </Modal>
  )
}
