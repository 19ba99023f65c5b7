/** One step of the classic fourth-order Runge-Kutta method for dx/dt = f(x). Inputs of f are held over the step. */
export function rk4(f: (x: readonly number[]) => number[], x: readonly number[], dt: number): number[] {
  const at = (k: readonly number[], h: number) => x.map((xi, i) => xi + h * k[i]!);
  const k1 = f(x);
  const k2 = f(at(k1, dt / 2));
  const k3 = f(at(k2, dt / 2));
  const k4 = f(at(k3, dt));
  return x.map((xi, i) => xi + (dt / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
}
