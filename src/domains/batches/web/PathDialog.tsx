import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Rows } from '../../../web/Detail.tsx'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { batches } from '../contract.ts'

/** What happened to one box, from the store to its buyer. */
export function PathDialog({ code, onClose }: { code: string; onClose: () => void }) {
  const { t } = useTranslation('batches')
  const read = useRead(batches.codePath, { code }, { inline: true })
  const { box, steps = [] } = read.data ?? {}
  const f = (key: string, value: string) => [t(`fields.${key}`), value] as const
  return (
    <Modal open title={t('pathTitle', { code })} width={640} footer={null} onCancel={onClose}>
      {read.error ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : box ? (
        <>
          <Rows
            items={[
              f('productName', box.productName),
              f('batchNo', box.batchNo),
              f('expiresOn', box.expiresOn),
              [
                t('fields.state'),
                [
                  t(`enums.state.${box.state}`),
                  box.quarantined ? t('fields.quarantined') : '',
                  box.upload ? t(`enums.upload.${box.upload}`) : '',
                ]
                  .filter(Boolean)
                  .join(' · '),
              ],
            ]}
          />
          <Lines columns="150px 88px minmax(0, 1fr)">
            {steps.map((step) => (
              <li key={`${step.at} ${step.kind}`}>
                <Time at={step.at} style="full" />
                <span>{t(`enums.step.${step.kind}`)}</span>
                <span>
                  {[
                    step.rtuNumber,
                    step.cargoRoad === null ? '' : `${t('fields.cargoRoad')} ${step.cargoRoad}`,
                    step.who,
                    step.orderNum,
                  ]
                    .filter(Boolean)
                    .join(' · ')}{' '}
                  {step.tempMin === null ? null : (
                    <Muted>
                      {t('temperature', { min: step.tempMin, max: step.tempMax ?? '' })}
                    </Muted>
                  )}
                </span>
              </li>
            ))}
          </Lines>
        </>
      ) : (
        <Skeleton rows={4} />
      )}
    </Modal>
  )
}
