/** Whether this browser belongs to the organiser. */
import * as api from "../api";
import type { Session } from "../types";

class Visitor {
  session = $state.raw<Session | null>(null);
  organiser = $derived(this.session?.organiser ?? false);

  async refresh(): Promise<void> {
    this.session = await api.session();
  }

  async logIn(password: string): Promise<void> {
    this.session = await api.logIn(password);
  }

  async setFirstPassword(password: string, code: string): Promise<void> {
    this.session = await api.setFirstPassword(password, code.trim() || null);
  }

  async logOut(): Promise<void> {
    this.session = await api.logOut();
  }
}

export const visitor = new Visitor();
