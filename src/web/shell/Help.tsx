import { useTranslation } from 'react-i18next'
import { Modal } from '../ui/overlay.tsx'
import styles from './Shell.module.css'

const keys = [
  ['Ctrl K', 'search'],
  ['Ctrl S', 'save'],
  ['[', 'fold'],
  ['↑ ↓', 'rows'],
  ['Esc', 'close'],
  ['?', 'help'],
] as const

export function Help({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('web')
  return (
    <Modal open title={t('shell.help')} footer={null} onCancel={onClose} width={420}>
      <dl className={styles.keys}>
        {keys.map(([key, name]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={name}>{t(`keys.${name}`)}</dd>,
        ])}
      </dl>
    </Modal>
  )
}
