import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { NumberField, TextAreaField } from '../../../web/form/fields.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { Pairs } from '../../../web/ui/Sheet.tsx'
import { replenishment } from '../contract.ts'

/** A new count of one lane, with the reason. */
export function CorrectPage() {
  const { t } = useTranslation('replenishment')
  const { id } = useParams()
  const loaded = useRead(replenishment.lanes, { laneId: Number(id) }, { inline: true })
  if (!loaded.data) return <Unread read={loaded} />
  const lane = loaded.data.list[0]
  const name = lane ? `${lane.rtuNumber} ${lane.roadIndex}` : ''
  return (
    <FormPage
      ns="replenishment"
      title={t('correctTitle')}
      subtitle={name}
      tab={name}
      save={replenishment.correct}
      initial={{ laneId: Number(id) }}
      success="replenishment:correctDone"
      back="/stock/waste"
    >
      <Section title={t('correct')} purpose={t('correctHint')}>
        {lane ? (
          <Pairs
            items={[
              [t('fields.productName'), lane.productName],
              [t('fields.productStock'), `${lane.productStock} / ${lane.roadCapacity}`],
              [t('fields.reserved'), lane.reserved],
              [t('fields.failedHold'), lane.failedHold],
            ]}
          />
        ) : null}
        <NumberField name="countedQty" />
        <TextAreaField name="reason" />
      </Section>
    </FormPage>
  )
}
