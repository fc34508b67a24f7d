import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { NumberField, SelectField, SwitchField } from '../../../web/form/fields.tsx'
import type { ChannelRow } from '../channelContract.ts'
import { alerts, type RuleRow } from '../contract.ts'

type Props = { rule: RuleRow; channels: readonly ChannelRow[]; onClose: () => void }

/** An empty time is the usual one, all channels chosen is every channel, also those to come. */
export function RuleDialog({ rule, channels, onClose }: Props) {
  const { t } = useTranslation('alerts')
  return (
    <FormDialog
      title={`${t('rule.editTitle')} · ${t(`enums.kind.${rule.kind}`)}`}
      ns="alerts"
      save={alerts.saveRule}
      onClose={onClose}
      initial={{
        kind: rule.kind,
        version: rule.version,
        enabled: rule.enabled,
        threshold: rule.threshold,
        channelIds: rule.channelIds ?? channels.map((channel) => channel.id),
      }}
      toInput={(values) => {
        const chosen = (values.channelIds as number[] | undefined) ?? []
        const all = channels.length > 0 && channels.every((channel) => chosen.includes(channel.id))
        return { ...values, threshold: values.threshold ?? null, channelIds: all ? null : chosen }
      }}
    >
      <SwitchField name="enabled" wide />
      {rule.unit ? (
        <NumberField
          name="threshold"
          label={t(rule.unit === 'day' ? 'fields.thresholdDay' : 'fields.thresholdMinute')}
          min={rule.min}
          max={rule.max}
          placeholder={t('rule.usual', { n: rule.usual ?? '' })}
          wide
        />
      ) : null}
      <SelectField
        name="channelIds"
        multiple
        required={false}
        wide
        options={channels.map((channel) => ({
          value: channel.id,
          label: channel.type === 'IN_APP' ? t('enums.type.IN_APP') : channel.name,
        }))}
      />
    </FormDialog>
  )
}
