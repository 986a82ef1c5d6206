/** A short wooden knock for a move; generated, and off by default. */
let context: AudioContext | null = null;

export const knock = (): void => {
  context ??= new AudioContext();
  const [now, tone, volume] = [
    context.currentTime,
    context.createOscillator(),
    context.createGain(),
  ];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(330, now);
  tone.frequency.exponentialRampToValueAtTime(110, now + 0.08);
  volume.gain.setValueAtTime(0.25, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.13);
};
