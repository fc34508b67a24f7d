import { useTranslation } from 'react-i18next'
import { RadioField } from '../../../web/form/fields.tsx'
import { Chip } from '../../../web/ui/Text.tsx'
import { tones } from '../contract.ts'
import { toneOf } from './tones.ts'

/** The palette, each colour as the tag will look. */
export function ToneField() {
  const { t } = useTranslation('deviceTags')
  return (
    <RadioField
      name="tone"
      options={tones.map((tone) => ({
        value: tone,
        label: <Chip tone={toneOf[tone]}>{t(`enums.tone.${tone}`)}</Chip>,
      }))}
    />
  )
}
