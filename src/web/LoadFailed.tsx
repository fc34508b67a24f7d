import { useTranslation } from 'react-i18next'
import { failureText } from './chunks.ts'

/** The last line of defence, without antd: never a white page. */
export function LoadFailed({ error }: { error: unknown }) {
  const { t } = useTranslation('web')
  return (
    <div className="hd-overlay" role="alert">
      <strong>{t(failureText(error))}</strong>
      <button type="button" className="hd-plain-button" onClick={() => location.reload()}>
        {t('shell.refresh')}
      </button>
    </div>
  )
}
