import { Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Rows } from '../../../web/Detail.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { type Code, ofKind } from '../contract.ts'

/** Which versions the machines of the reader's scope run. */
export function SpreadDialog({ code, onClose }: { code: Code; onClose: () => void }) {
  const { t } = useTranslation('releases')
  const { data } = useRead(ofKind[code].spread, {})
  return (
    <Modal open title={t('spread')} footer={null} width={520} onCancel={onClose}>
      {data ? (
        <Rows
          title={t('spreadOf', { total: data.total })}
          items={data.versions.map(({ versionName, count }) => [
            versionName,
            <Progress
              key={versionName}
              percent={Math.round((100 * count) / Math.max(1, data.total))}
              format={() => String(count)}
            />,
          ])}
        />
      ) : null}
    </Modal>
  )
}
