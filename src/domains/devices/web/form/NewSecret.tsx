import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../../web/CopyButton.tsx'
import { Rows } from '../../../../web/Detail.tsx'
import { useDirty } from '../../../../web/shell/tabs.ts'
import { PageHead, Sheet } from '../../../../web/ui/Sheet.tsx'

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
    <Sheet label={t('result.newBoard')}>
      <PageHead title={t('result.newBoard')} />
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
      <Button type="primary" onClick={onDone}>
        {t('result.open')}
      </Button>
    </Sheet>
  )
}
